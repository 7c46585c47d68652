// Requests to the lab, with its token; and what is said when it does not answer.

const trouble = document.getElementById("trouble");
let token = "", session = "";

export function tokenFound() {
  const found = /token=([\w-]+)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem("token", found[1]);
    history.replaceState(null, "", location.pathname + "#/run");
  }
  token = sessionStorage.getItem("token") ?? "";
  return token !== "";
}

export function say(sentence) {
  trouble.textContent = sentence;
  trouble.hidden = !sentence;
}

export class Refused extends Error {}

async function answered(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { "X-Lab-Token": token, ...options.headers } });
  } catch {
    say("The lab's server does not answer: it was closed or has crashed. Start `learnable lab` again and open the address it prints. What you see stays here, your drawn points are kept in this browser, and nothing on disk was touched.");
    throw new Refused("the server does not answer");
  }
  if (response.ok) {
    if (!trouble.hidden && trouble.textContent.includes("does not answer")) say("");
    return response;
  }
  let sentence = `the server answered ${response.status}`;
  try { sentence = (await response.json()).error ?? sentence; } catch { /* no JSON: the status must do */ }
  if (response.status === 401 || response.status === 410 || response.status === 429) say(`${sentence[0].toUpperCase()}${sentence.slice(1)}.`);
  throw new Refused(sentence);
}

export async function openSession() {
  const answer = await (await answered("/api/sessions", { method: "POST" })).json();
  session = answer.session;
  addEventListener("pagehide", () => {
    fetch(`/api/${session}/close`, { method: "POST", keepalive: true, headers: { "X-Lab-Token": token } }).catch(() => {});
  });
  // A session that was closed behind the page's back, or a server that has gone, is told of.
  setInterval(() => get("alive").catch(() => {}), 4000);
  return answer;
}

export async function get(path) {
  return (await answered(`/api/${session}/${path}`)).json();
}

export async function post(path, asked = {}) {
  return (await answered(`/api/${session}/${path}`, { method: "POST", body: JSON.stringify(asked), headers: { "Content-Type": "application/json" } })).json();
}

export async function send(path, content) {
  return (await answered(`/api/${session}/${path}`, { method: "POST", body: content })).json();
}

export async function download(path, name) {
  const content = await (await answered(`/api/${session}/${path}`)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return content.size;
}
