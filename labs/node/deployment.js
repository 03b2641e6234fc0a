//lab:given 03

// ensureDeployment makes the Deployment of a WebApp what it is to be. How often it is
// called makes no difference.
export async function ensureDeployment(api, app) {
  const want = newDeployment(app);
  const { namespace, name } = want.metadata;
  //lab:from 03
  //lab:todo TODO(lab): look whether the Deployment is there (api.readNamespacedDeployment), and create it where it is
  //lab:todo not (api.createNamespacedDeployment): the error of what is not there has the code 404.
  try {
    await api.readNamespacedDeployment({ namespace, name });
  } catch (error) {
    if (error.code !== 404) throw error;
    await api.createNamespacedDeployment({ namespace, body: want });
  }
  //lab:end
}

// newDeployment is the Deployment that a WebApp asks for.
function newDeployment(app) {
  const { image, replicas, port } = app.spec;
  const labels = selector(app);
  return {
    metadata: { namespace: app.metadata.namespace, name: app.metadata.name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image, ports: [{ containerPort: port, protocol: 'TCP' }] }] },
      },
    },
  };
}

// selector are the labels by which the Pods of a WebApp are known.
function selector(app) {
  return { 'app.kubernetes.io/managed-by': 'webapp-controller', 'app.kubernetes.io/instance': app.metadata.name };
}
