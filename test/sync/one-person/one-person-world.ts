/**
 * Helpers for profiles whose strings all contain the donor's ID. A contact's values therefore show to which donor
 * they belong.
 */
import { onTestFinished } from 'vitest';
import { createMemoryConnector } from '../../../connectors/memory/connector.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import type { FieldMapping } from '../../../src/core/field-map.ts';
import type { Profile } from '../../../src/core/profile.ts';
import { listOpenQuestions } from '../../../src/decisions/statements/questions.ts';
import type { SyncWorld, SyncWorldOptions } from '../../helpers/sync-world.ts';
import { ageJobs, open } from '../worlds.ts';

export const DONOR = 'Donor ID';
export const WORK = 'Donor Work';
export const EDUCATION = 'Donor Education';
export const BIO = 'Donor Biography';

/** Fields whose values contain the donor's ID in these tests. */
export const MARKED = [DONOR, WORK, EDUCATION, BIO];

export const FIELDS: readonly FieldMapping[] = [
  { from: 'donorId', to: DONOR, when: 'unlessEdited' },
  { from: 'work.primary', to: WORK, when: 'unlessEdited' },
  { from: 'education.primary', to: EDUCATION, when: 'ifEmpty' },
  { from: 'bio', to: BIO, when: 'unlessEdited' },
];

/**
 * Opens a service whose profiles contain their donor's ID in each string. `change` modifies a profile before it is
 * delivered.
 */
export async function openMarked(
  change: (profile: Profile) => void = () => {},
  options: SyncWorldOptions = {},
): Promise<SyncWorld> {
  onTestFinished(() => {
    lacksBio.clear();
    breaks.isOn = false;
  });
  return open({
    ...options,
    integration: { fields: FIELDS, ...options.integration },
    partner: (client) => ({
      ...client,
      async readResults(ids, signal) {
        const results = await client.readResults(ids, signal);
        for (const result of results.values()) {
          if (result.state !== 'completed') continue;
          const { profile } = result;
          change(profile);
          profile.work = [`Work of ${profile.donorId}`];
          profile.education = [`Education of ${profile.donorId}`];
          profile.bio = lacksBio.has(profile.donorId) ? [] : [`Bio of ${profile.donorId}`];
        }
        return results;
      },
    }),
  });
}

/** Returns the identity in the CRM: names, addresses and employers. */
export function identityOf({ crm }: SyncWorld, id: string) {
  const contact = crm.records.get(id)?.contact;
  if (contact === undefined) throw new Error(`there is no contact ${id}`);
  const { firstName, lastName, addresses, employers } = contact;
  return { firstName, lastName, addresses, employers };
}

/** The settings for the next profiles and writes, which are reset after each test. */
export const lacksBio = new Set<string>();
export const breaks = { isOn: false };

/**
 * Creates two contacts that the service knows and that have our values. The second contact then leaves the CRM.
 * `change` modifies a profile before it is delivered.
 */
export async function openTwo(
  options: SyncWorldOptions = {},
  change: (profile: Profile) => void = () => {},
) {
  const world = await openMarked(change, options);
  await world.addPeople(20);
  await world.sync();
  const known = [...world.crm.records.keys()].filter((id) => world.crm.valueOf(id, DONOR) !== null);
  const [first = '', second = ''] = known;
  const other = world.crm.records.get(second)?.contact;
  if (other === undefined) throw new Error('there are no two contacts');
  const { firstName, lastName, addresses, employers } = other;
  return { world, first, second, identity: { firstName, lastName, addresses, employers } };
}

/** Returns the donors whose values we have written into a contact. Reads only the CRM. */
export function donorsIn({ crm }: SyncWorld, id: string): string[] {
  const texts = MARKED.map((field) => String(crm.valueOf(id, field) ?? ''));
  return [...new Set(texts.flatMap((text) => text.match(/[0-9a-f]{32}/g) ?? []))];
}

export function valuesIn({ crm }: SyncWorld, id: string) {
  return Object.fromEntries(MARKED.map((field) => [field, crm.valueOf(id, field)]));
}

/** Makes the service delete its jobs, which normally happens after a month. */
export async function forgetJobs(world: SyncWorld): Promise<void> {
  await ageJobs(world, 60 * 24 * 30);
  await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
}

export async function theHold({ store }: SyncWorld) {
  const [hold, ...more] = await listOpenQuestions(store.reader);
  if (!hold || more.length > 0) throw new Error(`there are ${more.length} more holds`);
  return hold;
}

/** The CRM writes the received data, but its response is lost. */
export function breakingOff(
  crm: Parameters<typeof createMemoryConnector>[0],
  signal: AbortSignal,
): ReturnType<typeof createMemoryConnector> {
  const connector = createMemoryConnector(crm, signal);
  return {
    ...connector,
    async *write(changes) {
      for await (const result of connector.write(changes)) if (!breaks.isOn) yield result;
      if (breaks.isOn) throw new RetriableError('No answer.', { code: 'crm_unavailable' });
    },
  };
}
