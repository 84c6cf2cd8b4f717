// Drives `chiaro debug` by a client of the Debug Adapter Protocol that others wrote: a whole session, requests that cannot be done,
// clients that leave, and texts that are no messages. Each must have a clear answer, and the process must end.
//
//   npm install @vscode/debugadapter-testsupport && node session.mjs /path/to/chiaro
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import support from "@vscode/debugadapter-testsupport";

const chiaro = process.argv[2] ?? "chiaro";
const folder = mkdtempSync(join(tmpdir(), "chiaro-debug-"));
const program = join(folder, "twice.comp");
writeFileSync(program, `#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
float twice(float x) {
  float y = x * 2.0;
  return y;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  float v = data[i];
  data[i] = twice(v);
}
`);
const launch = { program, args: ["--groups", "4", "--buffer", "0=float*64:1"] };
let failures = 0;

function check(holds, text) {
  if (holds) return;
  failures++;
  console.log(`FAIL ${text}`);
}

const late = (seconds) => new Promise((done) => setTimeout(() => done("late"), seconds * 1000));
const succeeds = (request, text) => Promise.race([request, late(20)]).then((r) => (check(r !== "late", `${text} has no answer`), r), (e) => check(false, `${text}: ${e.message}`));
const fails = (request, text) => Promise.race([request, late(20)]).then((r) => check(false, `${text}: ${r === "late" ? "no answer" : "a success"}`), (e) => check(e.message.length > 0, `${text} has no message`));

// A client with its process and a promise of its exit.
async function connect() {
  const client = new support.DebugClient(chiaro, "debug", "chiaro", {});
  await client.start();
  client.defaultTimeout = 20000;
  const child = client._adapterProcess;
  return { client, child, exit: new Promise((done) => child.on("exit", (code) => done(code))) };
}

const next = (client) => Promise.race([client.waitForEvent("stopped"), client.waitForEvent("terminated")]);

async function begin(client, more, breakpoints) {
  await client.initializeRequest();
  const ready = client.waitForEvent("initialized");
  const started = client.launchRequest({ ...launch, ...more });
  await ready;
  const set = await client.setBreakpointsRequest({ source: { path: program }, breakpoints });
  const stop = next(client);
  await client.configurationDoneRequest();
  await started;
  return { stop: await stop, breakpoints: set.body.breakpoints };
}

async function whole() {
  const { client, exit } = await connect();
  const { stop, breakpoints } = await begin(client, {}, [{ line: 11 }, { line: 6, condition: "y == 2.0" }, { line: 99 }]);
  check(stop.event === "stopped" && stop.body.reason === "breakpoint", `the first stop is ${JSON.stringify(stop.body)}`);
  check(breakpoints.length === 3 && !breakpoints[2].verified, "a breakpoint after the end is verified");
  let thread = stop.body.threadId;
  const stack = await succeeds(client.stackTraceRequest({ threadId: thread }), "stackTrace");
  const frameId = stack.body.stackFrames[0].id;
  check(stack.body.stackFrames[0].line === 11, `the first stop is at line ${stack.body.stackFrames[0].line}`);
  for (const scope of (await succeeds(client.scopesRequest({ frameId }), "scopes")).body.scopes) {
    await succeeds(client.variablesRequest({ variablesReference: scope.variablesReference }), `the variables of ${scope.name}`);
  }
  const value = await succeeds(client.evaluateRequest({ expression: "v * 3.0", frameId }), "evaluate");
  check(value.body.result === "3", `v * 3.0 is ${value.body.result}`);
  for (const expression of ["", "((((", "v +", "1/0", "nowhere", "v[3]", "x".repeat(5000), "-".repeat(3000) + "1", "f(", "\u0000"]) {
    await fails(client.evaluateRequest({ expression, frameId }), `evaluate ${expression.slice(0, 16)}`);
  }
  await fails(client.scopesRequest({ frameId: -5 }), "the scopes of no frame");
  await fails(client.variablesRequest({ variablesReference: 12345678 }), "the variables of nothing");
  await fails(client.nextRequest({ threadId: 98765 }), "a step of no thread");
  await fails(client.customRequest("frobnicate", {}), "an unknown request");
  await fails(client.customRequest("launch", launch), "a second launch");
  await fails(client.customRequest("initialize", {}), "a second initialize");
  const go = async (name) => {
    const event = next(client);
    await succeeds(client[name]({ threadId: thread }), name);
    const to = await event;
    thread = to.body?.threadId ?? thread;
    return to;
  };
  for (const name of ["stepInRequest", "stepOutRequest", "stepBackRequest", "nextRequest", "reverseContinueRequest"]) {
    check((await go(name)).event === "stopped", `${name} does not stop`);
  }
  await succeeds(client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] }), "no breakpoints");
  check((await go("continueRequest")).event === "terminated", "the shader does not end");
  await fails(client.stackTraceRequest({ threadId: thread }), "the stack after the end");
  await succeeds(client.disconnectRequest(), "disconnect");
  check((await Promise.race([exit, late(10)])) === 0, "the process does not end with 0");
}

// Wrong launches, and a client that leaves while the shader runs.
async function leaving() {
  const wrong = await connect();
  await wrong.client.initializeRequest();
  for (const l of [{ program: "/nowhere.comp" }, { program: folder }, {}, { program, args: ["--frob"] }, { program: 7 }]) {
    await fails(wrong.client.launchRequest(l), `launch ${JSON.stringify(l)}`);
  }
  wrong.child.stdin.end();
  check((await Promise.race([wrong.exit, late(10)])) !== "late", "the process does not end with its input");
  const { client, child, exit } = await connect();
  await client.initializeRequest();
  const ready = client.waitForEvent("initialized");
  client.launchRequest({ program, args: ["--groups", "65535,1000", "--buffer", "0=float*64:1"] }).catch(() => {});
  await ready;
  await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: 11, condition: "v == 77.0" }] });
  client.configurationDoneRequest().catch(() => {});
  child.stdin.end();
  check((await Promise.race([exit, late(20)])) !== "late", "the run does not end with its client");
}

// Texts that are no messages.
async function nonsense() {
  for (const text of ["hello\r\n\r\n", "Content-Length: 99999999999999\r\n\r\n{}", "Content-Length: -1\r\n\r\n{}", "Content-Length: 10\r\n\r\n{}", "\0".repeat(1 << 20), "Content-Length: 4\r\n\r\nnull"]) {
    const child = spawn(chiaro, ["debug"]);
    let said = "";
    child.stderr.on("data", (d) => (said += d));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
    const code = await Promise.race([new Promise((done) => child.on("exit", done)), late(10)]);
    check(code === 2 && said.startsWith("chiaro: "), `${JSON.stringify(text.slice(0, 30))} ends with ${code}: ${said.slice(0, 200)}`);
  }
}

// Many requests at once, while the shader runs and stops.
async function storm() {
  const { client, exit } = await connect();
  const { stop } = await begin(client, { stopOnEntry: true }, [{ line: 10 }]);
  const threadId = stop.body.threadId;
  const names = ["nextRequest", "stepInRequest", "stepBackRequest", "pauseRequest", "continueRequest", "threadsRequest"];
  const list = [];
  for (let i = 0; i < 300; i++) {
    list.push(client[names[i % names.length]]({ threadId }).catch(() => {}));
    if (i % 7 === 0) list.push(client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: 4 + (i % 8), hitCondition: "%3" }] }).catch(() => {}));
  }
  check((await Promise.race([Promise.all(list), late(30)])) !== "late", "300 requests at once have no answers");
  await client.disconnectRequest().catch(() => {});
  check((await Promise.race([exit, late(10)])) !== "late", "the process does not end after 300 requests");
}

for (const part of [whole, leaving, nonsense, storm]) await part();
rmSync(folder, { recursive: true });
console.log(failures === 0 ? "all right" : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
