import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildGuide } from '../../scripts/docs/build.ts';
import { findSetup } from '../../src/clients/setup/draft.ts';
import { raiseAlert } from '../../src/clients/statements/alerts.ts';
import { listBatches } from '../../src/decisions/statements/batches.ts';
import { listSingleQuestions } from '../../src/decisions/statements/questions.ts';
import { createLinkSecret } from '../../src/people/crm-user-links.ts';
import { controlService } from '../helpers/service-control.ts';
import type { HttpWorld } from '../interfaces/api/http-world.ts';
import { type NetworkHttpWorld, openNetworkWorld } from './network-world.ts';

/** A service that has data for every page. */
export interface WholeWorld extends NetworkHttpWorld {
  /**
   * The IDs of three clients. The first client has data of each kind, the second client is empty, and the third client
   * was set up in a browser.
   */
  clients: readonly string[];
  /** The ID of a set-up in which all steps before the plan have been answered. */
  setupId: string;
  runId: string;
  holdId: string;
  batchId: string;
  /** The secret in the link that the card in HubSpot shows. */
  linkSecret: string;
}

/**
 * The length above which a last name counts as misspelt after a change of one letter. A shorter last name counts as a
 * different name.
 */
const SHORT = 4;

/** The number of contacts with an introduction that are not changed. */
const UNMOVED = 5;

/** The number of members of the board in the network world. They are the first contacts. */
const BOARD = 12;

/**
 * Opens a service with a client that has data of each kind. It has runs, a hold, a batch of moved contacts, networks
 * with paths, a used webhook, alerts, a schedule, and the guide. The service also has an empty client, a client with
 * a CSV file that was set up in a browser, and a set-up in progress. `others` are further empty clients.
 */
export async function openWholeWorld(others: readonly string[] = []): Promise<WholeWorld> {
  const guideFolder = await mkdtemp(join(tmpdir(), 'guide-'));
  await buildGuide(guideFolder);
  const world = await openNetworkWorld({
    guideFolder,
    others: ['harbor', ...others],
    // No server listens at this address, so no message is delivered.
    alerts: { webhook: { url: 'http://127.0.0.1:9/chat' }, failedAbovePercent: 20 },
    setup: { serviceUrl: null, hosts: ['127.0.0.1:*'] },
    integration: { schedule: { cron: '0 2 * * *', timezone: 'America/Chicago' } },
  });
  const { crm, runner } = world;
  const { store } = world.application;
  const contacts = [...crm.records.values()].map(({ contact }) => contact);
  const short = contacts.find(({ lastName }) => lastName?.length === SHORT);
  if (short === undefined) throw new Error('no contact has a short last name');
  // Some contacts do not wait for a decision, so the page shows their introductions.
  const introduced = await store.reader
    .selectFrom('warm_paths')
    .select('crm_id')
    .where('introducer_id', 'is not', null)
    .execute();
  const unmoved = new Set(introduced.slice(0, UNMOVED).map(({ crm_id }) => crm_id));
  // A member who waits for a decision introduces nobody, so the members of the board do not change either.
  for (const member of world.people.slice(0, BOARD)) unmoved.add(member);
  for (const { id, lastName } of contacts) {
    if (unmoved.has(id)) continue;
    crm.editContact(id, { addresses: [`${lastName} Quarry Lane, Reno`] });
  }
  const { firstName, lastName, addresses, employers } = short;
  crm.addContact({ firstName, lastName: `${lastName}e`, addresses, employers });
  const sync = async (trigger: 'manual' | 'webhook') => {
    const { runId } = await runner.request({ integrationId: 'riverside', trigger });
    await world.untilEnded(runId);
    return runId;
  };
  const runId = await sync('manual');
  await world.request(await world.addHook(), { method: 'POST' });
  await sync('webhook');
  await raiseAlert(store.connection, 'riverside', 'credits_low/enhancements');
  const finished = await answerSetup(world, 'Lakeside Clinic');
  await press(world, `/setup/${finished}/plan`, { do: 'trial' });
  await world.untilEnded((await findSetup(world.application, finished))?.trialRun ?? '');
  await press(world, `/setup/${finished}/plan`, { do: 'finish' });
  const setupId = await answerSetup(world, 'Northside School');
  const [hold] = await listSingleQuestions(store.reader);
  const [batch] = await listBatches(store.reader);
  return {
    ...{ ...world, runId, setupId, clients: ['riverside', 'harbor', finished] },
    ...{ holdId: hold?.id ?? '', batchId: batch?.id ?? '' },
    linkSecret: createLinkSecret(
      world.application.sealer,
      { kind: 'hubspot', account: '1', user: '7', email: 'olga@example.org' },
      Date.now(),
    ),
    async close() {
      await world.close();
      await rm(guideFolder, { recursive: true });
    },
  };
}

/** Sets up a client with a CSV file and stops before the plan. Returns the client's ID. */
async function answerSetup(world: HttpWorld, name: string): Promise<string> {
  const begun = await press(world, '/setup', { name });
  const id = /^\/setup\/([^/]+)\//.exec(begun)?.[1] ?? '';
  const people = await controlService(world.service).people(40);
  const rows = people.map(({ firstName, lastName, addresses }, index) =>
    [index + 1, firstName, lastName, JSON.stringify(addresses[0] ?? '')].join(','),
  );
  const text = ['Donor ID,First Name,Last Name,Address', ...rows, ''].join('\n');
  await press(world, `/setup/${id}/file`, { file: new File([text], 'donors.csv') });
  const { baseUrl, apiKey } = world.service;
  await press(world, `/setup/${id}/key`, { baseUrl, apiKey });
  await press(world, `/setup/${id}/people`, {
    ...{ id: 'Donor ID', names: 'two', firstName: 'First Name', lastName: 'Last Name' },
    addresses: 'Address',
  });
  await press(world, `/setup/${id}/fields`, { 'to.age': 'Age', 'to.netWorth.label': 'Net Worth' });
  await press(world, `/setup/${id}/networks`, {});
  await press(world, `/setup/${id}/schedule`, {
    ...{ rhythm: 'weekly', hour: '3', timezone: 'America/Chicago', perMonth: '900' },
  });
  return id;
}

/** Sends one of our forms. Returns the redirect target. */
async function press({ url }: HttpWorld, path: string, fields: Record<string, string | File>) {
  const hasFile = Object.values(fields).some((field) => field instanceof File);
  const form = new FormData();
  const words = new URLSearchParams();
  for (const [name, field] of Object.entries(fields)) {
    if (!(field instanceof File)) words.append(name, field);
    form.append(name, field);
  }
  const body = hasFile ? form : words;
  const headers = { origin: url };
  const answer = await fetch(url + path, { method: 'POST', redirect: 'manual', body, headers });
  if (answer.status !== 303) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.headers.get('location') ?? '';
}
