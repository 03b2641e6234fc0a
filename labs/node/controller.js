//lab:given 02

import { setTimeout as sleep } from 'node:timers/promises';
//lab:given 03
import { AppsV1Api } from '@kubernetes/client-node';
import { ensureDeployment } from './deployment.js';
//lab:end
import { Queue } from './queue.js';
import { describe, newInformer } from './watch.js';

// Controller keeps the children of WebApps as the WebApps say.
export class Controller {
  constructor(config, pretendWork) {
    this.pretendWork = pretendWork;
    this.queue = new Queue();
    this.apps = newInformer(config);
    //lab:given 03
    this.deployments = config.makeApiClient(AppsV1Api); // reads and writes them
    //lab:end
    // Whatever has happened to a WebApp, what is to be done is found out by reconcile.
    this.apps.on('change', (app) => this.enqueue(app));
  }

  // enqueue puts the key of a WebApp into the queue: its namespace and its name.
  enqueue(app) {
    //lab:from 02
    //lab:todo TODO(lab): add the key to the queue, NAMESPACE/NAME as text: two objects are never the same.
    this.queue.add(`${app.metadata.namespace}/${app.metadata.name}`);
    //lab:end
  }

  // run starts the workers once the cache is full.
  async run(workers) {
    await this.apps.start();
    for (let n = 0; n < workers; n++) this.work();
  }

  // work reconciles one WebApp after the other.
  async work() {
    //lab:from 02
    //lab:todo TODO(lab): without end: get a key (queue.get), print "Started KEY", await reconcileSlowly, print "Finished
    //lab:todo KEY". Until the queue is told that the key is done, it gives it to no other worker.
    for (;;) {
      const key = await this.queue.get();
      console.log(`Started ${key}`);
      try {
        await this.reconcileSlowly(key);
      } catch (error) {
        console.log(`reconciling ${key} failed: ${error.message}`);
      } finally {
        console.log(`Finished ${key}`);
        this.queue.done(key); // Now it may be handed out again.
      }
    }
    //lab:end
  }

  // reconcileSlowly takes at least as long as --pretend-work says: half of that time before
  // the look into the cache, and half after it.
  async reconcileSlowly(key) {
    await sleep(this.pretendWork / 2);
    try {
      await this.reconcile(key);
    } finally {
      await sleep(this.pretendWork / 2);
    }
  }

  // reconcile makes the children of one WebApp what it says. It starts from what is there
  // now, whichever event has led here.
  async reconcile(key) {
    const [namespace, name] = key.split('/');
    //lab:from 02
    //lab:todo TODO(lab): get the WebApp from the cache: this.apps.get(name, namespace). Print "Sees KEY: gone" where
    //lab:todo there is none, and else "Sees KEY: replicas N": describe makes the rest of that line.
    const app = this.apps.get(name, namespace);
    if (!app) {
      console.log(`Sees ${key}: gone`);
      return;
    }
    console.log(`Sees ${describe(app)}`);
    //lab:end
    //lab:from 03
    //lab:todo TODO(lab): have ensureDeployment called, and wait for it.
    await ensureDeployment(this.deployments, app);
    //lab:end
  }
}
