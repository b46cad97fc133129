/**
 * Runs the connector of a CRM alone, in a separate process that loads the installed program. The process reads all
 * contacts and prints its measurements as JSON. With `write`, the process also writes two fields of each contact. With
 * `changes`, the process waits for a line on stdin, reads the later changes and prints the changed contacts' IDs. The
 * first arguments are the folder of the built program, the kind of CRM, the CRM's address and a token. The other
 * arguments are the kind of work, and further `crm` settings as JSON.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { measured as measuredStep } from './work-step.mjs';

const [program, kind, url, token, work, settings] = process.argv.slice(2);
const { keepMemoryFlat } = await load('src/process-memory.js');
keepMemoryFlat(process);
const { findConnectorDefinition } = await load('connectors/index.js');
const { silentLog, systemClock } = await load('src/partner/public.js');

const valuesOf = {
  salesforce: (at) => ({ Title: `Friend ${at}`, Department: 'Donor relations' }),
  hubspot: (at) => ({ jobtitle: `Friend ${at}`, industry: 'Donor relations' }),
};

const definition = await findConnectorDefinition(kind);
let calls = 0;
let throttled = 0;
const connector = await definition.open({
  settings: definition.settingsSchema.parse({
    kind,
    url,
    auth: { type: 'token', token },
    ...JSON.parse(settings),
  }),
  contacts: { filter: null, optOutField: null },
  deps: {
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    secrets: { read: async () => null, write: async () => {} },
    onCall: (call) => {
      calls += 1;
      if (call.throttled) throttled += 1;
    },
  },
});

let ids = [];
let cursor = null;
await measured('read', async () => {
  let contacts = 0;
  for await (const page of connector.readPages(null)) {
    contacts += page.contacts.length;
    cursor = page.cursor;
    // Stores the contacts' IDs only for `write`, because the other kinds of work do not need them.
    if (work === 'write') for (const { id } of page.contacts) ids.push(id);
  }
  return { contacts };
});
if (work === 'write') {
  // If the connector reads from both ends of the list, it returns some contacts twice.
  ids = [...new Set(ids)];
  await connector.describeFields();
  await measured('write', async () => {
    let written = 0;
    for await (const result of connector.write(changes())) {
      if (result.status === 'written') written += 1;
    }
    return { contacts: written };
  });
  // The contacts that donor-sync knows after a first sync, all of which the first sync's writes have modified.
  const known = { cursor, ids: knownIds, leftIds: noIds, isSameSelection: true };
  await measured('again', async () => {
    let contacts = 0;
    for await (const page of connector.readPages(null, known)) contacts += page.contacts.length;
    return { contacts };
  });
}
if (work === 'changes') {
  await once(createInterface(process.stdin), 'line');
  await measured('changes', async () => {
    for await (const page of connector.readPages(cursor)) {
      for (const { id } of page.contacts) ids.push(id);
    }
    return { contacts: ids.length, ids };
  });
  process.stdin.destroy();
}
await connector.close();

async function* knownIds() {
  yield ids;
}

async function* noIds() {}

function* changes() {
  for (const [at, id] of ids.entries()) {
    yield { id, values: valuesOf[kind](at) };
  }
}

function load(file) {
  return import(pathToFileURL(join(program, 'dist', file)).href);
}

/** Measures one step of the connector, including its requests. */
function measured(name, run) {
  const before = { calls, throttled };
  return measuredStep(name, async () => {
    const found = await run();
    return { ...found, calls: calls - before.calls, throttled: throttled - before.throttled };
  });
}
