/**
 * The connector of a CRM alone, as a process of its own that loads what is installed: reads all
 * contacts, or writes two fields of each, and prints what it took as JSON.
 */
import { findConnectorDefinition } from '../dist/connectors/index.js';
import { systemClock } from '../dist/src/core/clock.js';
import { silentLog } from '../dist/src/core/log.js';
import { keepMemoryFlat } from '../dist/src/memory.js';

const valuesOf = {
  salesforce: (at) => ({ Title: `Friend ${at}`, Department: 'Donor relations' }),
  hubspot: (at) => ({ jobtitle: `Friend ${at}`, industry: 'Donor relations' }),
};

keepMemoryFlat();
const [kind, url, token, work] = process.argv.slice(2);
const definition = await findConnectorDefinition(kind);
let calls = 0;
let throttled = 0;
const connector = definition.create({
  settings: definition.settingsSchema.parse({
    kind,
    url,
    auth: { type: 'token', token },
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
await connector.prepare();

const ids = [];
await measured('read', async () => {
  for await (const page of connector.readPages(null)) {
    // Writing needs the ids, reading alone keeps nothing.
    if (work === 'write') for (const { id } of page.contacts) ids.push(id);
    else ids.length += page.contacts.length;
  }
  return ids.length;
});
if (work === 'write') {
  await connector.describeFields();
  await measured('write', async () => {
    let written = 0;
    for await (const result of connector.write(changes())) {
      if (result.status === 'written') written += 1;
    }
    return written;
  });
}
await connector.close();

function* changes() {
  for (const [at, id] of ids.entries()) {
    yield { id, values: valuesOf[kind](at) };
  }
}

async function measured(name, run) {
  const before = { calls, throttled };
  const startedAt = performance.now();
  const contacts = await run();
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stdout.write(
    `${JSON.stringify({ name, contacts, seconds, calls: calls - before.calls, throttled: throttled - before.throttled })}\n`,
  );
}
