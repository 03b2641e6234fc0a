package play

import "fmt"

// Explanation says of a rule what is done and looked at, why, and how to try it by hand.
type Explanation struct{ Looks, Why, Try string }

// Explain returns the explanation of the rule with an ID.
func Explain(id string) Explanation { return explanations()[id] }

// explanations of all rules. What is to be tried needs a control plane (reconform up), and
// the controller in a shell beside it.
func explanations() map[string]Explanation {
	const (
		watchOnly = "Start ./bin/controller --watch-only. "
		slow      = "Start ./bin/controller --pretend-work=2s. "
		noAnswer  = "The API server's answers can be changed only by the bench: run the check, and read the lines that it shows. "
	)
	return map[string]Explanation{
		"watch/added": {
			"A WebApp is created. The controller runs with --watch-only, and its lines are read.",
			"Whoever reacts to objects must be told of them: the informer calls the handler for each one that is added.",
			watchOnly + "Then: kubectl create -f webapp.yaml",
		},
		"watch/updated": {
			"The replicas of that WebApp are changed, then its image, a label, an annotation, and its status. Each time one more line Updated is waited for. In the end there may be no more lines than changes.",
			"A change is told to another function of the handler than a new object. The resourceVersion is another one after each change, of whichever field.",
			watchOnly + `Then: kubectl patch webapp demo --type merge -p '{"spec": {"replicas": 3}}'`,
		},
		"watch/resync": {
			"Every watch expires, so that the informer lists again, and then a second WebApp is created. After the line about that one, there may be no new line about the first.",
			"A new list and a resync tell of every object, as it was. Who takes that for a change does all work once more, and tells people of what has not happened.",
			watchOnly + "Set resync in main.go to 5*time.Second first: when nothing changes, nothing may be printed.",
		},
		"watch/deleted": {
			"The WebApp is deleted, and the line Deleted is waited for. Then it is created again, and the line Added is waited for.",
			"What was made for an object must go when it goes. One that is created again under the same name is another object.",
			watchOnly + "Then: kubectl delete webapp demo",
		},
		"watch/tombstone": {
			"The watch stands still while a WebApp is deleted, and then it expires. The deletion is not in the watch, and only the next list does not have the object any more.",
			"Watches break, and what happens meanwhile must not be lost. The informer notices, and hands out the last state that it knows: a tombstone, which is of another type.",
			noAnswer + "In Go, print the type of what DeleteFunc gets: %T.",
		},
		"watch/start": {
			"A WebApp is created, and the controller is started again. Its first list has the WebApp, and the line Added must be printed once more.",
			"A controller that starts does not know what happened before. So all that is there is new to it.",
			watchOnly + "Then: kubectl create -f webapp.yaml, Ctrl+C, and start it again.",
		},
		"queue/worker": {
			"A WebApp is created. The lines Started, Sees and Finished about it are waited for. Sees must not say that it is gone.",
			"The handler only says that there is something to do. A worker does it.",
			slow + "Then: kubectl create -f webapp.yaml",
		},
		"queue/coalesced": {
			"The replicas are changed eleven times while a reconcile takes 400 ms. The last number must be seen, after a few reconciles.",
			"A key in the queue says: look. It is there once, however often it is added, so ten changes cost one look, and this sees the last state.",
			slow + "Then, in a loop: kubectl patch webapp demo … with other replicas each time. Count the lines Started.",
		},
		"queue/at-once": {
			"The WebApp of queue/coalesced is at rest, and is changed once more. The line Started must come within 3 s.",
			"Many changes are no trouble. Only a failure is a reason to wait, and the rate limiter of a queue counts whatever is put into it by AddRateLimited.",
			slow + "Change a WebApp twelve times, wait for the last line Finished, and change it once more.",
		},
		"queue/meanwhile": {
			"A WebApp is at rest, and is changed. As soon as the line Sees has come, and before Finished, it is changed once more. That number must be seen, too.",
			"A reconcile that has read the object does not see what comes after that. The queue remembers: a key that is added while it is worked on is handed out again after Done. Who throws such an event away, because the key is in work, loses the change for good.",
			slow + "Change a WebApp. When Sees is printed, change it again.",
		},
		"queue/one-at-a-time": {
			"In all lines so far, no Started of a WebApp may come before the Finished of the one before it.",
			"Two workers on the same object write against each other. The queue prevents that, from Get to Done.",
			slow + "Change a WebApp while it is being reconciled.",
		},
		"queue/side-by-side": {
			"Two WebApps are created at once. Their reconciles must overlap, and end at about the same time. Then six are created at once. As many as were worked on at the same time must be worked on until none waits.",
			"One slow WebApp must not keep all others waiting: that is what several workers are for. What a worker has taken out of the queue, no other one can work on.",
			slow + "Create six WebApps with other names, one right after the other.",
		},
		"queue/bounded": {
			"The controller is started with --workers=2, and six WebApps are created at once. No more than two may be worked on at the same time.",
			"After a start, all WebApps are in the queue. Who works on all of them at once sends thousands of requests at once, and needs the memory for them: the number of workers is what bounds that.",
			slow + "Create six WebApps with other names, one right after the other, and count the lines Started before the first Finished.",
		},
		"queue/gone": {
			"A WebApp is deleted. The line Sees …: gone is waited for, and then it must not be looked at again and again. Another one of that name is created, and must be worked on.",
			"The key of a deleted object is in the queue, too. There is nothing to do for it: that is not a failure, and retries would never end.",
			slow + "Then: kubectl delete webapp demo",
		},
		"queue/tombstone": {
			"As watch/tombstone: a WebApp is deleted while the watch is broken, and the line Sees …: gone is waited for.",
			"The handler gets a tombstone, and the key must come out of that, too.",
			noAnswer + "In Go, look which function of client-go's cache makes a key of an object or of a tombstone.",
		},
		"owner/stranger": {
			"WebApps are created whose Deployments are there already. Nobody owns two of them, and one of these has the labels that the controller would give it. A ConfigMap with the name of the WebApp owns the third, and another WebApp the fourth. No update and no delete of them may be sent, and for each a line with the WebApp and \"failed\" must be printed. The same holds for a Deployment of a WebApp that gets the ConfigMap as its controller, and keeps the WebApp as another owner.",
			"Neither a name nor a kind nor labels say who the owner is, only the UID does. Whoever takes what has the right name breaks what belongs to others.",
			"kubectl create deployment demo --image=nginx:1.29, then kubectl create -f webapp.yaml",
		},
		"owner/service": {
			"A Service is created that nobody owns, and then a WebApp of that name. The Service must stay as it is. The same is done with one that has the labels of a child.",
			"Each child has a name that may be taken, and not only the Deployment. Whoever takes it over sends somebody else's traffic to other Pods.",
			"kubectl create service clusterip demo --tcp=7070, then kubectl create -f webapp.yaml, and kubectl get service demo -o yaml",
		},
		"conditions/says-why": {
			"The create of a Deployment is refused by the API server, with words of its own. The condition that tells of a failure must have these words in its message. Then the create succeeds, and the condition must tell of no failure, and must not have these words any more.",
			"A person reads the message to know what to do. That something has failed is said by the type of the condition already. A message that stays when all is well sends that person after an error that is gone.",
			"kubectl create quota none --hard=count/deployments.apps=0, kubectl create -f webapp.yaml, and kubectl get webapp demo -o yaml",
		},
		"conditions/progressing": {
			"A WebApp is created. When its Pods are ready, Available must be True, Progressing False and Degraded False. Then it gets an image whose Pods do not become ready, and Progressing must be True.",
			"kubectl wait waits for a condition, and another controller reads one. A type that is missing, or that is always the same, tells them nothing.",
			"kubectl create -f webapp.yaml, kubectl patch webapp demo --type merge -p '{\"spec\":{\"image\":\"registry.example/demo:never-ready\"}}', and kubectl get webapp demo -o yaml after each",
		},
		"conditions/generation": {
			"A WebApp is created, and then scaled. Each time every condition of it must have the observedGeneration of the WebApp.",
			"A condition without a generation, or of an old one, may speak of what the user has changed since.",
			"kubectl create -f webapp.yaml, and kubectl get webapp demo -o yaml; the same after kubectl patch",
		},
		"owner/terminating": {
			"A finalizer holds a WebApp that is being deleted. Its children are deleted, and the WebApp is changed, so that it is looked at. If it is not, the controller is started again. There must be no new Deployment, and no new Service. No line may say again and again that this WebApp has failed.",
			"Children of an object that is going away are deleted with it. A new one would be deleted as well, or stay behind. To be deleted is not a failure: an attempt after a pause finds the same, until the object is gone.",
			"Add a finalizer with kubectl edit, delete the WebApp and then its Deployment. Remove the finalizer in the end.",
		},
		"owner/no-delete": {
			"The finalizer of owner/terminating is taken off, and the WebApp is gone. Until then the controller may not have sent a request to delete a Deployment or a Service, not even one that is refused.",
			"The garbage collector follows the owner references, also if the controller is down. Who deletes by hand as well needs one more right, and can delete what has the same name and belongs to somebody else.",
			"kubectl delete webapp demo, and look into rbac.yaml: the controller may not delete.",
		},
		"children/at-rest": {
			"A WebApp has its children. Once their status has settled, no line Started may come for 3 s.",
			"A watch tells of each change, when it happens. A controller that looks every second as well asks for each of ten thousand objects every second.",
			"kubectl create -f webapp.yaml, and read the lines of the controller: when nothing happens, there must be none.",
		},
		"children/at-once": {
			"The Deployment is deleted, and again as soon as it is back, four times in all. Each time it must be back within 2.5 s. If the machine was slow, that is tried again.",
			"Until it is back nobody serves. An event comes at once, a look at intervals after half the interval on average.",
			"kubectl delete deployment demo, four times, and each time: kubectl get deployment demo (AGE)",
		},
		"children/others": {
			"There are two WebApps at rest. The Deployment of one is deleted, and made again. There may be no line Started about the other one meanwhile. Then the Deployment gets the other WebApp as a first owner, which does not control it, and is deleted once more: it must be made again.",
			"With a thousand WebApps, one event would lead to a thousand looks. The owner reference says which one it is about.",
			"Create two WebApps, and then: kubectl delete deployment demo",
		},
		"children/side-by-side": {
			"The Deployment of one WebApp is deleted, and the create that makes it again is not answered for 5 s. Meanwhile that of another WebApp is deleted, and must be there again within 2.5 s.",
			"An informer calls a handler for one event after the other. If the handler does the work, one slow answer holds up all that come after it. A handler that puts a key into the queue takes no time, and another worker goes on.",
			"Read the handler: does it do anything but put a key into the queue?",
		},
		"children/tombstone": {
			"The watch of Deployments stands still while one is deleted, and then it expires. The next list does not have the Deployment, and the informer hands out a tombstone. The Deployment must be there again 2.5 s after the list. The same is done with the Service, if there is one.",
			"The handler of children gets tombstones, too. A handler that knows only objects passes over them, and the child stays away until the next resync. A shorter resync only hides that, and is a look at everything.",
			noAnswer + "In Go, print the type of what DeleteFunc gets: %T.",
		},
		"children/no-resync": {
			"As children/at-rest, for 8 s: no line Started may come.",
			"A resync of a few seconds heals what no event has told of. So it hides that the event is not heard, and it is a look at everything, again and again.",
			"kubectl create -f webapp.yaml, wait ten seconds, and read the lines of the controller: when nothing happens, there must be none.",
		},
		"children/missed": {
			"The controller is stopped, a WebApp is created, and the controller is started again. The Deployment must be there 2.5 s after its first list.",
			"The first list tells of all that is there, and some of it is new. Who begins with the next resync leaves it undone until then.",
			"Press Ctrl+C, kubectl create -f webapp.yaml, and start ./bin/controller again.",
		},
		"namesake/gone": {
			"Somebody else's Deployment has the name of a WebApp. It is deleted, and the WebApp must get its own. The same is done with a Service.",
			"The WebApp waits for the name. No event of its own will come, so that of the stranger must lead to it.",
			"kubectl create deployment demo --image=nginx:1.29, kubectl create -f webapp.yaml, kubectl delete deployment demo",
		},
		"siblings/service": {
			"Each create of a Deployment is answered with 500. The Service must be made all the same, and a line with the WebApp and \"failed\" must be printed.",
			"Children do not depend on one another. If one fails, the other must be done all the same.",
			"kubectl create deployment demo --image=nginx:1.29, then kubectl create -f webapp.yaml and kubectl get service demo",
		},
		"siblings/missing": {
			"A WebApp has both children. Its Service is deleted, and the WebApp is scaled: the Service must be made again.",
			"Each child is looked at by itself, each time. One that is made together with the other is never made if something fails between them.",
			"kubectl create -f webapp.yaml, kubectl delete service demo, kubectl annotate webapp demo note=look, and kubectl get service demo",
		},
		"siblings/deployment": {
			"Each create of a Service is answered with 500. The Deployment must be made all the same. So it must be if the Service of that name is somebody else's: nobody's, or one that a ConfigMap or another WebApp owns; and if a GET of the Service is answered with 500. Each time a line with the WebApp and \"failed\" must be printed.",
			"It makes no difference which of the two children fails: the other must be done, and somebody must be told.",
			"kubectl create service clusterip demo --tcp=7070, then kubectl create -f webapp.yaml and kubectl get deployment demo",
		},
		"siblings/own-pods": {
			"Two WebApps are created. The selector of each Service must match the labels of the Pods of its WebApp, and not those of the other.",
			"A Service knows nothing but labels. If two WebApps share those that it asks for, each gets the requests of the other.",
			"Create two WebApps with other names, and kubectl get endpointslices",
		},
		"rest/looks": {
			"A WebApp and another one in its namespace have their Deployments, and no request is sent any more. An annotation of the first is changed, so that it is looked at. No write may be sent for 1.5 s: neither one that changes nothing, nor one that is refused. After that each has one Deployment. The other one has another image, 1 replica and port 9090, and so has its Deployment.",
			"Reconciles come for many reasons, and most find nothing to do. A write for each costs the API server more than all reads, and may be the event that leads to the next.",
			"kubectl annotate webapp demo note=look, and then: kubectl get deployment demo -o jsonpath='{.metadata.resourceVersion}', before and after",
		},
		"namespaces/own": {
			"A WebApp demo is created in one namespace, and when it has its Deployment, a WebApp demo in another one. That must have a Deployment, too.",
			"A name is a name in its namespace. The same one may be in every other namespace, and is another object.",
			"kubectl create namespace other, then kubectl create -f webapp.yaml, and the same with -n other; kubectl get deployments --all-namespaces",
		},
		"rest/in-vain": {
			"As rest/looks, for 2.5 s, while reads of the Deployment are answered with 500, 503 and 403, and then are cut off without an answer. No write may be sent, and if the Deployment was read, a line with the WebApp and \"failed\" must be printed.",
			"An error says that nobody knows whether it is there. Only NotFound says that it is not.",
			noAnswer + "In the code, look what is done if the read returns an error that is not NotFound.",
		},
		"rest/tells": {
			"The create of a Deployment is answered with 500. A line with the WebApp and \"failed\" must be printed.",
			"An error that is dropped looks like a success: nobody tries again, and nobody knows why there is no Deployment.",
			noAnswer + "In the code, look what is returned if Create returns an error.",
		},
		"rest/tells-updates": {
			"A WebApp is scaled, and updates of its Deployment are answered with 500. A line with the WebApp and \"failed\" must be printed. So it must be if somebody changes the port of the Service of another WebApp, and updates of that are answered with 500. Nothing else is to be updated then.",
			"An error that is dropped looks like a success: what is there stays wrong, and nobody knows.",
			noAnswer + "In the code, look what is returned if Update returns an error.",
		},
		"rest/missing": {
			"The Deployment is deleted, and then the WebApp is scaled, so that it is looked at. The Deployment must be there again.",
			"What counts is what is there now, and not whether the WebApp is new, or whether the Deployment was made once.",
			"kubectl delete deployment demo, then kubectl annotate webapp demo note=look, and kubectl get deployments",
		},
		"rest/restarts": {
			"The controller is started again, and no write may be sent for 1.5 s.",
			"After a start every object is told as new. What a controller only remembers is forgotten by then: it must look.",
			"Press Ctrl+C, start ./bin/controller again, and read what it prints.",
		},
		"rest/reads-later": {
			fmt.Sprintf("The controller is left alone for %s. No GET and no LIST may be sent.", unread),
			"A read at intervals costs the same, whether or not anything has changed, and a change waits for the next one. Watches tell of it at once.",
			"./bin/controller prints no requests. Run the check, and read which one it shows.",
		},
		"rest/reads": {
			"As rest/looks, with reads: no GET and no LIST may be sent. Then the controller is started again, the lists of the children come 1 s late, and it looks at all WebApps: no GET of a Deployment or of a Service may be sent.",
			"What is watched is in the cache. A read of it costs the API server a request in each reconcile, for each object.",
			"./bin/controller prints no requests. Run the check, and read which one it shows.",
		},
		"status/all": {
			"A WebApp with ten Pods is Running. One of the Pods is made unready, and the phase must not stay Running. Then another one is, and readyReplicas must become 8.",
			"A Deployment is Available as long as enough of its Pods are ready: a quarter may be missing, and with a rollout others take their place. A controller that waits for Running waits for all.",
			"Scale a WebApp to 10, wait for Running, give it an image that does not exist, and kubectl get webapps: the Deployment is Available all the time.",
		},
		"log/once": {
			"The create of a Deployment is answered with 500 a few times, and that of another one with 403. Then they succeed. As many lines as there were failures must have the words of that answer. Of a WebApp with which nothing is wrong, no line may tell of a failure.",
			"Who counts the lines counts the failures. A second line for each, as a sentence, is found by no search for keys, and doubles the log when everything fails.",
			noAnswer + "In the code, look for all places that print or log an error.",
		},
		"role/narrow": {
			"The roles in the manifests are read. None has a *, and none lets the controller delete Deployments or Services.",
			"A role with too much hides what the controller needs. Whoever gets hold of its token may do all of it.",
			"kubectl auth can-i delete deployments --as=system:serviceaccount:NAMESPACE:NAME",
		},
		"status/available": {
			"The Deployment of a WebApp gets minReadySeconds: 2, and then the WebApp is scaled to 3. While three Pods are ready and not all are available, the phase must not be Running for 1 s. When three are available, it must be.",
			"A new Pod counts as available some time after it is ready. When that time has passed, readyReplicas does not change any more, and the generation does not either: whoever waits for a change of these waits for ever.",
			"kubectl patch deployment demo -p '{\"spec\":{\"minReadySeconds\":5}}', scale the WebApp, and watch it with kubectl get webapps -w",
		},
		"status/again": {
			"Writes of the status of a WebApp are answered with 500. A line with the WebApp and \"failed\" must be printed. Then the writes succeed again, and a label of the Deployment is changed: now there must be a phase.",
			"Who sets the status in the object of the cache finds it there at the next look, though nobody has written it. And an error that is dropped looks like a success.",
			noAnswer + "In the code, look for DeepCopy before the status is set, and what becomes of the error of UpdateStatus.",
		},
		"later/works": {
			"The controller is started. After 12 s a WebApp is created, and its Deployment must be made.",
			"A time limit that begins with the process, and not with the signal, ends all requests after a while, and nobody has told the controller to end.",
			"Start ./bin/controller, wait a quarter of a minute, and kubectl create -f webapp.yaml",
		},
		"events/service": {
			"A WebApp is created. One of the Events on it must name the Service, in its reason or in its message. An Event is on the WebApp if its involvedObject has the UID of that: kubectl describe shows no others.",
			"Whoever asks why a WebApp does not answer looks at its Events: each child that was made is in them, and not only the first.",
			"kubectl create -f webapp.yaml, and kubectl describe webapp demo",
		},
		"events/service-updated": {
			"The port of a WebApp is changed. One more Event on it must name the Service, in its reason or in its message.",
			"A port that changes is changed in both children. Otherwise, somebody who asks why nobody answers at the old port reads only about the Deployment.",
			"kubectl patch webapp demo --type merge -p '{\"spec\":{\"port\":9090}}', and kubectl describe webapp demo",
		},
		"events/service-refused": {
			"A Service is created that nobody owns, and then a WebApp of that name. A Warning on the WebApp must name the Service, in its reason or in its message.",
			"The Deployment of this WebApp runs, and nobody can reach it. Without the Warning only the log of the controller says why.",
			"kubectl create service clusterip demo --tcp=80, kubectl create -f webapp.yaml, and kubectl describe webapp demo",
		},
		"events/service-done": {
			"The creates of a Service are answered with 500, and after a success its updates. Until the third attempt, no Normal Event on the WebApp may say that the Service was created, or updated.",
			"An Event that is recorded before the write tells of each attempt as if it were done.",
			noAnswer + "In the code, look whether Eventf comes after the error of the write was looked at.",
		},
		"events/says-which": {
			"Somebody else's Deployment has the name of a WebApp that is then created, and somebody else's Service that of another one. A Warning on each WebApp must have the kind and the name of that child in its message.",
			"Whoever reads that something has failed looks for it next. All children of a WebApp have its name, so only the kind says which one it is.",
			"kubectl create deployment demo --image=nginx:1.29, kubectl create -f webapp.yaml, and kubectl describe webapp demo",
		},
		"events/unanswered": {
			"The creates of all Events are kept without an answer. A WebApp is created, and when an Event was sent, it is scaled to 3 and to 4. Its Deployment must follow.",
			"Events are for people. Who sends one within a reconcile waits for its answer, and so does everything that is to be done for this WebApp.",
			noAnswer + "In the code, look whether the call that sends an Event waits for the API server.",
		},
		"events/refused": {
			"The creates of all Events are answered with 403. A WebApp is created, and then, when an Event was refused, another one. Both must have their Deployments, and the controller must still run.",
			"Events are for people, and may get lost: a quota for Events, or a rule that is missing, must not stop the work for all WebApps.",
			"Take the rule for events out of rbac.yaml, and run the controller with that ServiceAccount. In the code, look who gets the error of an Event.",
		},
		"exit/failure": {
			"The controller is started with the name of a kubeconfig that does not exist. It must end, and its status must not be 0.",
			"The status says to whoever has started a process whether it has failed. If each end looks like a success, nobody is told of a failure.",
			"./bin/controller --kubeconfig=there-is-no-such-file; echo $?",
		},
		"status/failed": {
			"Somebody else's Deployment has the name of a WebApp that is then created. Its status.phase must be Degraded, and a line with the WebApp and \"failed\" must be printed. When it is deleted, the phase must become another one. The same is done with somebody else's Service. Then a WebApp that is Running is scaled, while updates of its Deployment are answered with 500: its phase must become Degraded, and Running again when that is over.",
			"When something fails, people look at the status first. A status that is written only after a success says nothing then, or what was true before.",
			"kubectl create deployment demo --image=nginx:1.29, kubectl create -f webapp.yaml, and then: kubectl get webapp demo",
		},
		"crowd/served": {
			"Twenty WebApps fail for ever. After some attempts of each another one is created, and must have its Deployment before the controller has sent nothing for 2.5 s in all, and within 15 s.",
			"A worker that sleeps, or tries again in a loop, serves nobody meanwhile. The queue can wait for many keys at once.",
			"Create Deployments demo-1 to demo-20 that are not the controller's, WebApps of these names, and then one more WebApp.",
		},
		"pauses/grow": {
			"Creates of a Deployment are answered with 500, at least five times and for a second, and then succeed. The last two pauses must be 1.5 times as long as the first ones, and twice if there are many. The first two are left out: news of the status may cut them short.",
			"What has just failed will mostly fail again. Attempts at a constant rate are a load for the one who is in trouble already.",
			"kubectl create deployment demo --image=nginx:1.29, kubectl create -f webapp.yaml, and look when the lines come.",
		},
		"pauses/reset": {
			"After that success the replicas are changed, and three updates are answered with 500. Each pause must be shorter than the last one before the success.",
			"Failures of last week say nothing about today. Without a reset, an object that has failed ten times waits for minutes after its next small trouble.",
			"As for pauses/grow; then kubectl delete deployment demo, wait for the new one, and do all of it again.",
		},
		"copy/whole": {
			"A WebApp gets another image and another port. The first two updates of the Deployment are answered with 500, and so are those of the Service. Then both must have the new ones. After that somebody else changes the labels of both, and the same is done once more.",
			"What a lister returns is the cache's own object. Who changes it, and then fails to write it, finds at the next look that all is well. A flat copy shares what is behind its pointers and slices.",
			noAnswer + "In the code, follow the object from the lister to the first line that changes it.",
		},
		"cache/untouched": {
			"A WebApp gets another image and another port. The first update of the Deployment is answered with 500, and so is that of the Service. Then an annotation of the WebApp is changed, or of the Service if that leads to nothing, so that there is a next look: both must have the new image and the new port. After that somebody else changes the labels of both, and the same is done once more.",
			"What a lister returns is the cache's own object. Who changes it, and then fails to write it, finds at the next look that all is well. A flat copy shares what is behind its pointers and slices.",
			noAnswer + "In the code, follow the object from the lister to the first line that changes it.",
		},
		"permanent/rests": {
			"Creates of one Deployment are answered with 403, those of another with 422. Within 3 s after the first attempt there may be two more, as the news of the controller's own status leads to a look.",
			"The same request is refused again until somebody changes something: the WebApp, a policy, a quota. Attempts after 100 ms, 200 ms, … are for failures that pass by themselves.",
			"Create a WebApp whose name has 64 letters. That is too long for a label, so its Deployment is invalid. Look when the lines come.",
		},
		"permanent/goes-on": {
			"The controller is started with --permanent-pause=4s. Creates of one Deployment are answered with 403, those of another with 422, and nobody changes anything. More than 3 s after the first attempt there must be another one.",
			"A quota is raised, or a policy is removed, and no event of the WebApp or of its children says so. A controller that has given up does nothing until the next resync, or for ever.",
			"kubectl create quota none --hard=count/deployments.apps=0, start ./bin/controller --permanent-pause=4s, and create a WebApp. Delete the quota: a Deployment must come.",
		},
		"persist/long": {
			"Creates of a Deployment are answered with 500 for 3.5 s, and nobody changes the WebApp. After that, the Deployment must come.",
			"No event says that the trouble is over. A controller that has given up by then does nothing until the next resync, or for ever.",
			"kubectl create deployment demo --image=nginx:1.29, kubectl create -f webapp.yaml, wait a minute, and delete the Deployment.",
		},
		"persist/updates": {
			"A WebApp is scaled, and updates of its Deployment are answered with 500 for 3.5 s. Then somebody changes the port of a Service, and the same is done with its updates. Each must be as the WebApp says after that.",
			"A limit for updates is the same as one for creates: what is wrong stays wrong until somebody changes the WebApp.",
			noAnswer + "In the code, look for each place that counts attempts, or that asks what has failed.",
		},
		"persist/many": {
			"Creates of a Deployment are answered with 500. After each attempt the WebApp is changed, so that the next one comes at once, until 60 have failed. From the tenth on, no more than two attempts may come that no change has led to, besides the end of each longest pause. Then nobody changes it any more. 32 s after the first failure or later, one more attempt must come within the longest pause. Then the creates succeed, and the Deployment must come within the longest pause.",
			"Whoever gives up after the twelfth or the fiftieth attempt forgets the count of failures then. After the next change it begins anew, with the shortest pause. Nobody sees that in a short test, and in a long failure nobody looks at the WebApp any more. A limit of time does the same.",
			"In the code, look for each Forget, and ask what has succeeded there. And is there a number, or a time, after which the key is not put back?",
		},
		"persist/service": {
			"A WebApp has both children, and its Service is deleted. Creates of a Service are cut off for 2 s, so that there is no answer, and no event of a child comes. After that, the Service must come.",
			"Each failure counts, of whichever child, and of whichever kind: nobody knows all errors that pass. An error that is printed, and not returned, is never tried again.",
			noAnswer + "In the code, follow the error of each write to what decides when the WebApp is looked at again.",
		},
		"cleanup/waits": {
			"A Deployment has a finalizer of somebody else, and its WebApp is deleted. While the Deployment is being deleted, the WebApp must stay, for 1.5 s. When the other finalizer is off and the Deployment is gone, the WebApp must go. The same is done with a Service.",
			"A delete that was accepted is not yet done. The finalizer is what remembers that there is something to clean up: if it is taken off too early and the rest fails, nobody comes back.",
			"kubectl patch deployment demo --type merge -p '{\"metadata\":{\"finalizers\":[\"example.com/elsewhere\"]}}', then kubectl delete webapp demo --wait=false, and kubectl get webapps. Set the finalizers to null at the end.",
		},
		"cleanup/others": {
			"Eight WebApps are deleted whose Deployments have a finalizer of somebody else, so that their deletion does not end. All eight Deployments must be deleted all the same.",
			"A worker that waits for the end of a deletion, in a loop or with a sleep, serves nobody meanwhile. There is no need to wait: the end is an event, and leads to the next look.",
			"Create three WebApps, put a finalizer on each of their Deployments as for cleanup/waits, delete the three with --wait=false, and look whether each Deployment has a deletionTimestamp.",
		},
		"cleanup/strangers": {
			"A Deployment of somebody else has the name of a WebApp, and a Service of somebody else that of another one. The WebApps are deleted, and must go. The Deployment and the Service must stay.",
			"What has the name need not be one's own: only the UID in the owner reference says so. A clean-up that deletes by the name deletes somebody's work, and nobody expects that of the deletion of another object.",
			"kubectl create deployment demo --image=nginx:1.29, kubectl create -f webapp.yaml, kubectl delete webapp demo, and kubectl get deployment demo",
		},
		"cleanup/older": {
			"The controller is ended. A WebApp is created and scaled, and then the controller is started again. When the WebApp has its children, it must have a finalizer.",
			"A WebApp may be older than the controller, or than the version of it that has a finalizer. Who puts it only on what is new never cleans up after the others.",
			"Press Ctrl+C, kubectl create -f webapp.yaml, kubectl patch webapp demo --type merge -p '{\"spec\":{\"replicas\":3}}', start it again, and kubectl get webapp demo -o yaml",
		},
		"conflict/outlived": {
			"A WebApp is scaled, and updates of its Deployment are answered with 409 for 3 s. Nobody changes anything meanwhile. After that, the Deployment must have the replicas. Then somebody changes the port of a Service, and the same is done with its updates, for 2 s, and at last so with the phase in the status.",
			"A conflict says that somebody was faster. To send the same object again is refused again, and the event of the other change may have come before: only another look, later, is sure to help.",
			noAnswer + "In the code, follow an error of Update to what decides when the WebApp is looked at again.",
		},
		"pauses/event": {
			"The replicas are changed, and updates are answered with 500 until a pause takes 1.5 s. Right after the next attempt the Service is deleted. It must be there again within 2 s.",
			"A pause is for what has failed. An event tells of something new: who lets it wait in the same way heals ever later, and counts events as failures.",
			"As for pauses/grow, for half a minute; then kubectl delete service demo: it must be back at once.",
		},
		"labels/both": {
			"Somebody else changes all labels of the Deployment and of the Service, and adds three labels there and to the Pods, and three annotations. The controller's own must be right again, and what was added must still be there when it has come to rest. When it looks once more, it must write neither child.",
			"Labels are shared: each has the keys that somebody has set. To replace all takes away what is theirs, and to look at none, because there are more, leaves what is wrong. Nor is a prefix yours, or a label without one: others use app.kubernetes.io/ and team, too.",
			"kubectl label deployment demo team=a, then kubectl label --overwrite deployment demo app.kubernetes.io/instance=x, and kubectl get deployment demo --show-labels",
		},
		"labels/fields": {
			"Somebody else sets the CPU request of the container, and the sessionAffinity of the Service. Then the WebApp gets a new image and a new port. When the children have these, the two fields must be as they were set.",
			"A spec is shared, too: autoscalers, policies and people set fields beside yours. If you put a whole container or a whole spec in the place of what is there, theirs are gone with the next change.",
			"kubectl set resources deployment demo --requests=cpu=10m, then kubectl patch webapp demo --type merge -p '{\"spec\":{\"image\":\"nginx:1.30\"}}', and kubectl get deployment demo -o yaml",
		},
		"recreated/in-gap": {
			"The watch of WebApps stands still while one is deleted and created again, and then it expires. If the machine is fast enough, both are created in the same second. Both children must get the UID of the new one in their owner reference.",
			"No reconcile ever finds that it was gone. What a controller remembers by name is of the old one, and the garbage collector deletes what refers to that. A creationTimestamp has no fractions of a second: only the UID tells the two apart.",
			noAnswer + "In the code, look for what is kept by a name or a key.",
		},
		"absent/webapp": {
			"A WebApp that has both children is deleted. In the next 3 s, fewer than four lines may have the WebApp and \"failed\".",
			"That the cache does not have the WebApp any more is the answer to the question, and no failure. Who tries again does so for ever, for each WebApp that was ever deleted.",
			"kubectl delete webapp demo, and read what ./bin/controller prints after that.",
		},
		"absent/update": {
			"A WebApp is scaled, and updates of its Deployment are answered with 404 for 2 s. After that, the Deployment must have the replicas. Then somebody changes the port of a Service, and the same is done with its updates.",
			"A child may go between the read and the write. Then it must be created, and only another look does that.",
			noAnswer + "In the code, follow an error of Update to what decides when the WebApp is looked at again.",
		},
		"absent/namespace": {
			"Creates of a Deployment are answered with 404, namespace not found, for 2 s. After that, the Deployment must come. The same is done with a Service that was deleted, and there the resource is not found. There must be pauses between the creates of the Deployment.",
			"NotFound says that something is not there, and not what: it may be the namespace. Only NotFound of the WebApp itself means that there is nothing to do.",
			noAnswer + "In the code, look to which request each IsNotFound belongs.",
		},
		"shutdown/finishes": {
			"A create takes 2 s. Meanwhile the process gets SIGTERM. The line Finished must come, and the Deployment must be there, before the process ends.",
			"A reconcile that is broken off leaves half of its work, and no Event that tells of it. Kubernetes waits 30 s.",
			slow + "kubectl create -f webapp.yaml, and kill it (kill PID) as soon as it prints Started.",
		},
		"shutdown/begins-none": {
			"Five more WebApps wait in the queue when SIGTERM comes. At most two of them may be begun: a worker may be just about to take one.",
			"The queue may hold thousands. The next start looks at all of them anyway.",
			slow + "Create many WebApps, kill it, and count the lines Started after Stopping.",
		},
		"shutdown/interrupt": {
			"The same with SIGINT, which Ctrl+C sends.",
			"Kubernetes sends SIGTERM, and a terminal sends SIGINT. The process should end in the same way.",
			slow + "kubectl create -f webapp.yaml, and press Ctrl+C as soon as it prints Started.",
		},
		"shutdown/long": {
			fmt.Sprintf("The controller is started again, and gets SIGTERM while the create of a Deployment gets no answer for %s. It must finish that reconcile, and the Deployment must be there.", late),
			"The grace period is what the operator of the cluster has granted. A time limit in the code that is shorter breaks off what had the time to finish.",
			"Start ./bin/controller --pretend-work=8s, create a WebApp, press Ctrl+C, and wait for Finished.",
		},
		"shutdown/soon": {
			"After SIGINT, the time from the last Finished to the end of the process is measured: at most 1.5 s.",
			"A fixed sleep is too long when nothing runs, and too short for a reconcile that takes longer.",
			"Start ./bin/controller, wait, and press Ctrl+C: it must end at once.",
		},
		"interrupt/by-itself": {
			"A WebApp has its Deployment. The process gets SIGINT, and must end in time, with status 0, and not by the signal.",
			"A process that does not listen is ended by the kernel, wherever it is: nothing is finished, and no defer runs.",
			"Press Ctrl+C, and then: echo $? must print 0.",
		},
		"lost/ends": {
			"Somebody else takes the Lease while the controller holds it, and renews it until the controller must have noticed. If the controller has not ended by then, a WebApp is created: there may be no Deployment. Then the Lease is given back: the controller must take it again, and make the Deployment.",
			"A process that lives on without working looks healthy, so nobody starts it again. Once the other replicas are gone, too, nobody works.",
			"Start ./bin/controller --leader-elect, and write another holder and the time of now into the Lease: kubectl edit lease webapp-controller (holderIdentity, renewTime). Within ten seconds the process must end.",
		},
		"midway/breaks-off": {
			"The leader creates a Deployment, and gets no answer. Meanwhile somebody else takes the Lease, and renews it until the controller must have noticed. If it has not ended by then, the create is answered: it may send no write after that.",
			"A reconcile sends many requests, and the Lease may be lost between two of them. By then the new leader works on the same WebApp. If the context of all requests ends with the Lease, the reconcile ends there.",
			noAnswer + "In the code, follow the context of the requests from OnStartedLeading to each call.",
		},
		"lost/waits": {
			"Somebody else holds the Lease, and renews it, while the controller is started. A WebApp is created: there may be no line Started about it, and no Deployment.",
			"Whoever reconciles beside the leader fights with it. Even if it sends nothing, it counts failures, and its pauses are long when it has to take over.",
			"Start two with --leader-elect, and create a WebApp: only the one that holds the Lease may print Started.",
		},
		"lease/given-back": {
			"The leader gets SIGTERM while a create takes 2 s. When it has ended, the Lease must have no holder.",
			"A Lease that nobody gives back blocks the standby for the whole lease duration, at each update of the Deployment.",
			"Start ./bin/controller --leader-elect, press Ctrl+C, and then: kubectl get lease webapp-controller (HOLDER must be empty)",
		},
		"lease/to-the-end": {
			"In the same shutdown, no write may come after the Lease was given back, and the Deployment must be there.",
			"As soon as the Lease is free, the standby works. What the old leader writes after that meets its writes.",
			"Start two with --leader-elect --pretend-work=3s, create a WebApp, and press Ctrl+C in the one that prints Started.",
		},
		"webhook/refuses": {
			"WebApps are created whose image has neither a tag nor a digest, once with a port in the name of the registry. They must be refused, with spec.image in the message. Complete ones must be accepted.",
			"Whoever reads the message must know which field is wrong.",
			"kubectl create -f webapp.yaml with image: registry.example/demo",
		},
		"webhook/updates": {
			"A WebApp gets an image without a tag by an update, which must be refused.",
			"A rule for new objects only is passed by the first edit.",
			`kubectl patch webapp demo --type merge -p '{"spec": {"image": "registry.example/demo"}}'`,
		},
		"webhook/defaults": {
			"WebApps are created with the images demo:v1 and team/demo:v1, and must be stored with registry.example/ before these. The replicas and the port of another one must be stored as they were sent.",
			"A default that is stored is seen by everybody, and does not change with the next version of the controller.",
			"kubectl create -f webapp.yaml with image: demo:v1, and kubectl get webapps",
		},
		"webhook/repeats": {
			"That WebApp is scaled, and three are created that have a registry: with a dot and a port, with a port only, and localhost. No image may change.",
			"The API server may call a webhook more than once for a request, and calls it for each update: the same must come out.",
			"kubectl patch webapp demo … with other replicas, twice, and kubectl get webapps",
		},
		"webhook/old": {
			"A WebApp with an incomplete image is created while the webhook is not there. After that it must be possible to scale it, and to take its finalizers off when it is deleted. The same holds for one whose image also lacks a registry. To give it another incomplete image must not be possible.",
			"Rules come later than objects. If an old object can no longer be written, its finalizers stay, and its deletion never ends.",
			"Stop the controller, create such a WebApp, start the controller, and scale it.",
		},
	}
}
