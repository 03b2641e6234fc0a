// The command is a controller of WebApps, made by hand with @kubernetes/client-node.
import { parseArgs } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
//lab:given 02
import { Controller } from './controller.js';
//lab:end
import { watchOnly } from './watch.js';

const { values: options } = parseArgs({
  options: {
    // The file that names the cluster. Default: $KUBECONFIG, else ~/.kube/config, else the cluster that it runs in.
    kubeconfig: { type: 'string' },
    // Print what happens to WebApps, and do nothing else.
    'watch-only': { type: 'boolean', default: false },
    //lab:given 02
    // The number of WebApps that are reconciled at the same time.
    workers: { type: 'string', default: '2' },
    // Let every reconcile take so long, to see what waits for it: 400ms, 2s.
    'pretend-work': { type: 'string', default: '0s' },
    //lab:end
  },
});

const config = new KubeConfig();
if (options.kubeconfig) config.loadFromFile(options.kubeconfig);
else config.loadFromDefault();

//lab:given 01 until given 02
//lab:old await watchOnly(config);
//lab:end
//lab:given 02
if (options['watch-only']) {
  await watchOnly(config);
} else {
  await new Controller(config, milliseconds(options['pretend-work'])).run(Number(options.workers));
}

// milliseconds of a time as in 400ms or 2s.
function milliseconds(text) {
  const [, number, unit] = /^(\d+)(ms|s)$/.exec(text) ?? [];
  if (!unit) throw new Error(`${text} is no time: want one as in 400ms or 2s`);
  return Number(number) * (unit === 's' ? 1000 : 1);
}
//lab:end
