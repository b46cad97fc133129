/** For each operation, a request to its route that succeeds, and a request with invalid input. */
import { z } from 'zod';
import { beginSetup } from '../../src/clients/setup/draft.ts';
import { listBatches } from '../../src/decisions/statements/batches.ts';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { giveAddress, join } from '../interfaces/api/people-world.ts';

export interface Example {
  /** The values of the path parameters, by name. */
  subjects?: Readonly<Record<string, string>>;
  body?: object;
  query?: string;
  /** A body or a query that the operation refuses. Omitted if the operation's only input is its path. */
  invalid?: { body: object } | { query: string };
  /** False if every value of the path parameter is valid, for example for a month. */
  isUnknownRefused?: false;
}

/** The owner sends the requests. */
export interface ExampleWorld {
  world: HttpWorld;
  /** Runs a sync of `riverside` that writes into contacts. Waits until the sync has ended. */
  sync(): Promise<string>;
  /** Sends a request as the owner. Fails if the response is not successful. */
  asOwner(method: string, path: string, body?: object): Promise<void>;
}

type MakeExample = (given: ExampleWorld) => Promise<Example>;

const none: MakeExample = async () => ({});
const ofClient: MakeExample = async () => ({ subjects: { integration: 'riverside' } });

async function aUser({ world }: ExampleWorld): Promise<Example> {
  return { subjects: { user: (await join(world, 'Ben', 'viewer')).id } };
}

/** Creates a decision about a contact with a lost response. Returns the decision's ID. */
async function aLostAnswer({ world, sync }: ExampleWorld): Promise<string> {
  await world.putFaults([{ on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } }]);
  await sync();
  const [held] = await listOpenQuestions(world.application.store.reader);
  return held?.id ?? '';
}

/** Changes the addresses of all contacts at one time, so that a batch of contacts is held. */
async function holdBatch(world: HttpWorld): Promise<void> {
  const token = await world.addToken('admin');
  const startRun = async () => {
    const path = '/v1/integrations/riverside/runs';
    const started = await world.request(path, { method: 'POST', token });
    await world.untilEnded(started.read(startedSchema).run.id);
  };
  for (let index = 0; index < 30; index += 1) {
    world.crm.addContact({ firstName: `First${index}`, lastName: `Last${index}`, addresses: [] });
  }
  await startRun();
  for (const { contact } of world.crm.records.values()) {
    world.crm.editContact(contact.id, { addresses: [`${contact.lastName} Quarry Lane, Reno`] });
  }
  await startRun();
}

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const answeredSchema = z.object({ answer: z.object({ id: z.string() }) });

/** Returns a client at a public IP address, so no DNS lookup is needed. */
export function aClient(id: string, more: object = {}) {
  return {
    ...{ id, partner: { baseUrl: 'https://93.184.215.14', apiKey: 'key' } },
    crm: { kind: 'hubspot', auth: { type: 'token', token: 'token' } },
    ...more,
  };
}

export const EXAMPLES: Readonly<Record<string, MakeExample>> = {
  audit: async () => ({ query: 'limit=1', invalid: { query: 'since=soon' } }),
  'audit export': async () => ({
    query: 'action=person.joined',
    invalid: { query: 'action=sleepy' },
  }),
  'audit verify': async () => ({ invalid: { body: { known: 'x' } } }),
  status: ofClient,
  'clients connections': none,
  'users list': none,
  'address show': none,
  'address set': async () => ({
    body: { url: 'https://donors.example.org' },
    invalid: { body: { url: 'https://donors.example.org/path' } },
  }),
  'users invite': async ({ world }) => {
    await giveAddress(world);
    return {
      body: { name: 'Ben', email: 'ben@example.org', role: 'viewer' },
      invalid: { body: { name: 'Ben', email: 'ben', role: 'viewer' } },
    };
  },
  'users role': async (given) => ({
    ...(await aUser(given)),
    body: { role: 'decider' },
    invalid: { body: { role: 'queen' } },
  }),
  'users link': async (given) => {
    await giveAddress(given.world);
    return aUser(given);
  },
  'users disable': aUser,
  'users enable': aUser,
  'users sign-out': aUser,
  'users remove': aUser,
  'users passkeys list': aUser,
  'users crm-users list': aUser,
  'tokens list': none,
  'tokens create': async () => ({
    body: { name: 'Export', role: 'viewer' },
    invalid: { body: { name: '', role: 'viewer' } },
  }),
  'tokens create-door': async () => ({
    subjects: { integration: 'riverside' },
    body: { name: 'Salesforce' },
    invalid: { body: { name: '', perDay: 0 } },
  }),
  'tokens revoke': async ({ world }) => {
    await world.addToken('viewer');
    const [token] = await world.application.store.reader
      .selectFrom('access_tokens')
      .select('id')
      .execute();
    return { subjects: { token: token?.id ?? '' } };
  },
  runs: async () => ({ invalid: { query: 'limit=0' } }),
  'runs show': async ({ sync }) => ({ subjects: { run: await sync() } }),
  'runs contacts': async ({ sync }) => ({
    subjects: { run: await sync() },
    invalid: { query: 'outcome=hold' },
  }),
  'runs start': async () => ({
    subjects: { integration: 'riverside' },
    body: { full: true },
    invalid: { body: { contact: '1', full: true } },
  }),
  'runs retry': async ({ sync }) => ({ subjects: { run: await sync() } }),
  'clients list': async () => ({ query: 'limit=1', invalid: { query: 'limit=0' } }),
  'clients show': ofClient,
  apply: async () => ({
    body: { integrations: [aClient('lakeside')] },
    invalid: { body: { integrations: [{ id: 'lakeside' }] } },
  }),
  remove: async ({ asOwner }) => {
    await asOwner('POST', '/v1/integrations', { integrations: [aClient('lakeside')] });
    return { subjects: { integration: 'lakeside' } };
  },
  'setups list': none,
  'setups show': async ({ world }) => ({
    subjects: { setup: await beginSetup(world.application, 'Lakeside Shelter') },
  }),
  'fields check': ofClient,
  'fields create': async () => ({
    subjects: { integration: 'riverside' },
    body: {},
    invalid: { body: { capacityAbove: 'much' } },
  }),
  doctor: ofClient,
  'doctor installation': none,
  'runs restorable': async ({ sync }) => ({ subjects: { run: await sync() } }),
  undo: async ({ sync }) => ({ subjects: { run: await sync() } }),
  forget: async ({ world, sync }) => {
    await sync();
    const [contact = ''] = world.crm.records.keys();
    return {
      subjects: { integration: 'riverside', contact },
      body: { alsoInCrm: true },
      invalid: { body: { alsoInCrm: 'yes' } },
    };
  },
  'contacts erasable': async ({ world, sync }) => {
    await sync();
    const [contact = ''] = world.crm.records.keys();
    return {
      subjects: { integration: 'riverside', contact },
      body: { alsoInCrm: true },
      invalid: { body: { alsoInCrm: 'yes' } },
    };
  },
  'contacts search': async ({ world }) => {
    world.crm.addContact({ firstName: 'Zenobia', lastName: 'Quillfeather', addresses: [] });
    return {
      subjects: { integration: 'riverside' },
      body: { text: 'zenob' },
      invalid: { body: { text: ' ' } },
    };
  },
  'contacts names': async ({ world, sync }) => {
    await sync();
    const [contact = ''] = world.crm.records.keys();
    return {
      subjects: {},
      body: { contacts: [`riverside/${contact}`] },
      invalid: { body: { contacts: [contact] } },
    };
  },
  'introductions add': async ({ world, sync }) => {
    await sync();
    const [contact = ''] = world.crm.records.keys();
    return { subjects: { integration: 'riverside', contact } };
  },
  'introductions remove': async ({ world, sync, asOwner }) => {
    await sync();
    const [contact = ''] = world.crm.records.keys();
    await asOwner('PUT', `/v1/integrations/riverside/listed-contacts/${contact}`);
    return { subjects: { integration: 'riverside', contact } };
  },
  'contacts show': async ({ world, sync }) => {
    await sync();
    const [contact = ''] = world.crm.records.keys();
    return { subjects: { integration: 'riverside', contact } };
  },
  about: async ({ world, sync }) => {
    await sync();
    const [contact = ''] = world.crm.records.keys();
    return { subjects: { integration: 'riverside', contact } };
  },
  export: ofClient,
  approvals: none,
  holds: async () => ({ query: 'integration=riverside' }),
  'holds queue': async () => ({
    query: 'order=newest',
    invalid: { query: 'order=random' },
  }),
  'holds approve': async ({ world }) => {
    await holdBatch(world);
    const [held] = await listOpenQuestions(world.application.store.reader);
    return { body: { holds: [held?.id ?? ''] }, invalid: { body: { holds: [] } } };
  },
  'holds reject': async (given) => ({
    body: { holds: [await aLostAnswer(given)] },
    invalid: { body: { holds: 'all' } },
  }),
  'holds resubmit': async (given) => ({
    body: { holds: [await aLostAnswer(given)] },
    invalid: { body: {} },
  }),
  'holds decide': async (given) => ({
    subjects: { id: await aLostAnswer(given), decision: 'reject' },
    body: { withdrawable: false },
    invalid: { body: { withdrawable: 'maybe' } },
  }),
  'holds batch': async ({ world }) => {
    await holdBatch(world);
    const [batch] = await listBatches(world.application.store.reader);
    return { subjects: { id: batch?.id ?? '', decision: 'reject' } };
  },
  'holds answers': none,
  'holds withdraw': async (given) => {
    const { world } = given;
    const path = `/v1/holds/${await aLostAnswer(given)}/reject`;
    const token = await world.addToken('decider');
    const body = { withdrawable: true };
    const answer = await world.request(path, { method: 'POST', token, body });
    return { subjects: { answer: answer.read(answeredSchema).answer.id } };
  },
  'holds all': async (given) => {
    await aLostAnswer(given);
    return {
      subjects: { integration: 'riverside', reason: 'lost_answer', decision: 'reject' },
      invalid: { body: { openedUntil: 'today' } },
    };
  },
  'alerts list': none,
  'alerts show': ofClient,
  'schedule list': none,
  'schedule show': ofClient,
  'schedule pause': ofClient,
  'schedule resume': async ({ world }) => {
    const at = { method: 'POST', token: await world.addToken('admin') };
    await world.request('/v1/integrations/riverside/schedule/pause', at);
    return { subjects: { integration: 'riverside' } };
  },
  'hooks list': none,
  'hooks show': async ({ world }) => {
    await world.addHook();
    return { subjects: { integration: 'riverside' } };
  },
  'hooks create': ofClient,
  'hooks rotate': async ({ world }) => {
    await world.addHook();
    return { subjects: { integration: 'riverside' } };
  },
  'hooks revoke': async ({ world }) => {
    await world.addHook();
    return { subjects: { integration: 'riverside' } };
  },
  networks: ofClient,
  'networks check': async () => ({
    subjects: { integration: 'riverside' },
    body: {},
    invalid: { body: { networks: 'all' } },
  }),
  'networks repair': ofClient,
  'networks introductions': async () => ({
    subjects: { integration: 'riverside' },
    invalid: { query: 'weakest=ninth' },
  }),
  credits: none,
  'credits spent': async () => ({ invalid: { query: 'days=1' } }),
  'credits bill': async () => ({
    query: 'month=2026-10',
    invalid: { query: 'month=october' },
  }),
  'mails show': async () => ({ invalid: { query: 'user=' } }),
  results: async () => ({ query: 'month=2026-10', invalid: { query: 'month=october' } }),
  'credits reconcile': async () => ({ subjects: { month: '2026-10' }, isUnknownRefused: false }),
};

/** The operations that other tests cover because they need more than one request, each with the reason. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  stop: 'test/interfaces/api/stop-run.test.ts: a run that is queued, and one that is in progress',
  'mails set': 'test/interfaces/api/mails.test.ts: it needs a mail server',
  'mails confirm': 'test/interfaces/api/mails.test.ts: a code from a mail',
  introductions: 'test/interfaces/api/introductions.test.ts: needs a network, and paths from it',
  disconnect: 'test/interfaces/api/clients.test.ts: a CRM account that is connected',
  'users crm-users unlink': 'test/interfaces/api/doors/crm-users.test.ts: a linked user of a CRM',
  'users passkeys remove': 'test/interfaces/api/passkeys.test.ts: a passkey of a browser',
  'clients check': 'test/interfaces/api/checks.test.ts: it is carried out after the answer',
  'forget lift-block': 'test/interfaces/api/work.test.ts: a contact that was erased',
  erase: 'test/interfaces/api/erase-client.test.ts: a client that the settings have no more',
  'export everything': 'test/interfaces/api/export-everything.test.ts: the response is a ZIP file',
  'fields source': 'test/interfaces/api/checks.test.ts: a client of Salesforce',
  plan: 'test/interfaces/api/plan.test.ts: it is carried out after the answer',
  'runs redeliver': 'test/interfaces/api/redelivery.test.ts: it is carried out after the answer',
  'runs redelivery': 'test/interfaces/api/redelivery.test.ts: it is carried out after the answer',
  'alerts test': 'test/interfaces/api/alerts.test.ts: a receiver of messages',
  'alerts test-own': 'test/interfaces/api/alerts.test.ts: a receiver of messages',
  'alerts check': 'test/interfaces/api/alerts.test.ts: a receiver of messages',
  'holds names': 'test/interfaces/api/holds.test.ts: a profile with another name',
  prospects: 'test/interfaces/api/networks.test.ts: a network with members',
  paths: 'test/interfaces/api/networks.test.ts: a network with members',
  'approvals show': 'test/operations/requests-on-record.test.ts: a request',
  'approvals confirm': 'test/interfaces/api/approvals.test.ts: a second user',
  'approvals refuse': 'test/interfaces/api/approvals.test.ts: a second user',
};
