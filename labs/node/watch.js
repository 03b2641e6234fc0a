import { CustomObjectsApi, makeInformer } from '@kubernetes/client-node';

// WEBAPPS is what the API server calls WebApps in its paths.
const WEBAPPS = { group: 'apps.kubedojo.io', version: 'v1beta1', plural: 'webapps' };

// newInformer keeps a copy of all WebApps: it lists them once and then watches. It tells
// of each that is added, updated or deleted. When a watch breaks it lists anew.
export function newInformer(config) {
  const api = config.makeApiClient(CustomObjectsApi);
  const path = `/apis/${WEBAPPS.group}/${WEBAPPS.version}/${WEBAPPS.plural}`;
  const informer = makeInformer(config, path, () => api.listCustomObjectForAllNamespaces(WEBAPPS));
  // After most errors it stops. A pause keeps the API server from being asked without end.
  informer.on('error', (error) => {
    console.log(`watching anew: ${error.message}`);
    setTimeout(() => informer.start(), 1000);
  });
  return informer;
}

// watchOnly prints what happens to WebApps.
export async function watchOnly(config) {
  const informer = newInformer(config);
  print(informer);
  await informer.start();
}

// print one line for each change: Added, Updated or Deleted, and of which WebApp.
function print(informer) {
  //lab:from 01
  //lab:todo TODO(lab): print "Added NAMESPACE/NAME", "Updated …" and "Deleted …", one line for each change:
  //lab:todo informer.on('add', (app) => …), and 'update' and 'delete'.
  informer.on('add', (app) => console.log(`Added ${describe(app)}`));
  informer.on('update', (app) => console.log(`Updated ${describe(app)}`));
  informer.on('delete', (app) => console.log(`Deleted ${describe(app)}`));
  //lab:end
}

// describe says which WebApp it is, and what it asks for.
export function describe({ metadata, spec }) {
  return `${metadata.namespace}/${metadata.name}: replicas ${spec.replicas}`;
}
