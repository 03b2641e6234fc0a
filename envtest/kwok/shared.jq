# What the Stages of Pods ask about a Pod. This text is put before each of their expressions.
def note($name): .metadata.annotations["reconform.dev/" + $name];
# The number in an annotation, or nothing if that is not a whole number.
def number($name): (note($name) // "") | select(test("^[0-9]{1,9}$")) | tonumber;
def tagged($tag): any(.spec.containers[].image; endswith(":" + $tag));
def ofJob: any(.metadata.ownerReferences[]?; .kind == "Job" and (.apiVersion | startswith("batch/")));
def condition($type): first(.status.conditions[]? | select(.type == $type) | .status) // "Unknown";

# How its containers end: Succeeded, Failed, or Never. Any other value of the annotation means nothing.
def ends: (note("ends") | select(IN("Succeeded", "Failed", "Never"))) // (if tagged("fails") then "Failed" elif ofJob then "Succeeded" else "Never" end);
# With which exit code they end.
def code: if ends == "Failed" then ((number("exit-code") | select(. > 0)) // 1) else 0 end;
# Whether a rule of the container restarts it if it ends with this code.
def ruled($code): any(.restartPolicyRules[]?.exitCodes; (.operator == "In") == any(.values[]?; . == $code));
# Whether they are started again then: if one of them is, by its rules, its own restartPolicy or that of the Pod.
def restarted: code as $code | ends as $ends | .spec.restartPolicy as $ofPod | any(.spec.containers[];
  ruled($code) or ((.restartPolicy // $ofPod) as $policy | $policy == "Always" or ($policy == "OnFailure" and $ends == "Failed")));
def crashes: ends != "Never" and restarted;
def over: ends != "Never" and (restarted | not);
def waits: any(.status.containerStatuses[]?; .state.waiting != null);
# Whether a finalizer holds it, so that others see how its containers end if it is deleted.
def interrupted: (.metadata.finalizers | length) > 0 and (.status.phase == "Running" or .status.phase == "Pending");
def restarts: .status.containerStatuses[0].restartCount // 0;

# Whether an init container fails that has to end before the others start.
def initFails: any(.spec.initContainers[]?; .restartPolicy != "Always" and (.image | endswith(":fails")));
# How often the one has been started again that fails.
def initRestarts: [.status.initContainerStatuses[]?.restartCount] | max // 0;

def withheld: note("ready") == "false" or (note("ready") != "true" and tagged("never-ready"));
# Whether its containers are to be ready: as annotated, or else as they are.
def containersReady: if note("ready") == "true" then "True" elif note("ready") == "false" then "False" else condition("ContainersReady") end;
# Whether it is to be ready: its containers are, and the condition of each readiness gate is true.
def ready: . as $pod | if containersReady == "True" and all(.spec.readinessGates[]?; .conditionType as $gate | $pod | condition($gate) == "True") then "True" else "False" end;
