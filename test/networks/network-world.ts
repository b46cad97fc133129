import { z } from 'zod';
import { findContacts } from '../../src/contacts/contacts.ts';
import type { RunReport } from '../../src/core/run.ts';
import { NETWORK_STAGES } from '../../src/networks/mirror-networks.ts';
import type { RunRequest } from '../../src/sync/run.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

/** The parts of a sync test, with mirrored groups. */
export interface NetworkWorld extends SyncWorld {
  /** The CRM IDs of contacts who have a profile. Each of these contacts is a different donor. */
  people: string[];
  /** Makes the people from `start` to `end` the members of the CRM's group "board". */
  setBoard(start: number, end: number): void;
  /** Returns the service's networks: member IDs by network name. */
  networks(): Promise<Record<string, string[]>>;
  /** Returns the donors of these contacts, in ascending order. */
  donorsOf(crmIds: readonly string[]): Promise<string[]>;
  /** Returns the charges minus the refunds of the networks bucket. */
  networkSpent(): Promise<number>;
  /** Returns the calls to the service about networks, as `METHOD /path` below the base URL. */
  networkCalls(): Promise<string[]>;
  /** Sends a request to the service, as a user of its web pages would. */
  byHand(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Returns the service's ID of the network with this name. */
  networkId(name: string): Promise<string>;
}

export const BOARD = { name: 'Board', color: 'teal', group: { group: 'board' } };

/** A fault rule's condition: bulk adds, and the jobs that they start. */
export const ON_ADD = { method: 'POST', path: '/networks/*/members/batch' };
export const ON_JOB = { method: 'GET', path: '/networks/jobs/*' };

export interface NetworkWorldOptions extends SyncWorldOptions {
  /** The number of different people that are enhanced before the test starts. The default is 0. */
  enhanced?: number;
}

export async function createNetworkWorld({
  enhanced = 0,
  ...options
}: NetworkWorldOptions = {}): Promise<NetworkWorld> {
  const world = await createSyncWorld({
    ...options,
    service: { networkJobTimeMs: 0, ...options.service },
    integration: { networks: [BOARD], ...options.integration },
  });
  const { baseUrl, rootUrl, apiKey } = world.service;
  const networkWorld: NetworkWorld = {
    ...world,
    people: [],
    sync: (request: Partial<RunRequest> = {}): Promise<RunReport> =>
      world.sync({ stages: NETWORK_STAGES, ...request }),
    setBoard(start, end) {
      world.crm.addGroup('board', networkWorld.people.slice(start, end));
    },
    async networks() {
      const { networks } = networksSchema.parse(await getJson(`${rootUrl}/_sandbox/networks`));
      return Object.fromEntries(networks.map(({ name, member_ids }) => [name, member_ids.sort()]));
    },
    async donorsOf(crmIds) {
      const rows = await findContacts(world.store.reader, world.integration.id, crmIds);
      return [...new Set([...rows.values()].flatMap((row) => row.donorId ?? []))].sort();
    },
    async networkSpent() {
      const reply = await getJson(`${rootUrl}/_sandbox/ledger?bucket=networks`);
      const { ledger } = ledgerSchema.parse(reply);
      return ledger.reduce((sum, { amount }) => sum + amount, 0);
    },
    async networkCalls() {
      const requests = await world.requests();
      return requests.flatMap(({ method, path }) => {
        const below = /\/partners(\/networks.*)$/.exec(path)?.[1];
        return below === undefined ? [] : [`${method} ${below}`];
      });
    },
    async byHand(method, path, body) {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
      return response.status === 204 ? null : response.json();
    },
    async networkId(name) {
      const found = await world.deps().partner.networks.list();
      const network = found.find((each) => each.name === name);
      if (!network) throw new Error(`The service has no network "${name}"`);
      return network.networkId;
    },
  };
  if (enhanced > 0) networkWorld.people.push(...(await enhancePeople(networkWorld, enhanced)));
  return networkWorld;
}

/** Syncs people until this many contacts have different donors. */
async function enhancePeople(world: NetworkWorld, count: number): Promise<string[]> {
  world.crm.addGroup('board', []);
  const ids = await world.addPeople(Math.ceil(count * 1.6) + 10);
  await world.sync();
  const rows = await findContacts(world.store.reader, world.integration.id, ids);
  const byDonor = new Map(
    [...rows.values()].flatMap(({ donorId, crmId }) =>
      donorId === null ? [] : [[donorId, crmId] as const],
    ),
  );
  const people = [...byDonor.values()].sort().slice(0, count);
  if (people.length < count) throw new Error(`only ${people.length} of ${count} have a donor`);
  return people;
}

const networksSchema = z.object({
  networks: z.array(z.object({ name: z.string(), member_ids: z.array(z.string()) })),
});

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}
