import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { type Bed, donorsIn, type HubspotCrm, openHubspot, referenceOf } from './testbed.ts';

const PEOPLE = 12;

/** The delay of the automation, which is longer than any run in these tests. */
const DELAY_MS = 600_000;

const CAPACITY = 'capacity.nonprofit';

/** An account whose workflow changes a value long after the run that wrote it. */
interface Late {
  bed: Bed<HubspotCrm>;
  runId: string;
  field: string;
  /** Two contacts whose donors have different capacities. */
  first: string;
  second: string;
  donor: string;
}

async function openLate(): Promise<Late> {
  let aheadMs = 0;
  const bed = await openHubspot({
    people: PEOPLE,
    crm: { clock: () => systemClock.now() + aheadMs },
  });
  const field = bed.fieldFor(CAPACITY);
  const change = { kind: 'round', to: 1_000_000 };
  await bed.crm.account.control('POST', 'automation', {
    property: field,
    change,
    delayMs: DELAY_MS,
    name: 'later',
  });
  const { id: runId } = await bed.world.sync();
  aheadMs = DELAY_MS;
  const { byPlace } = await referenceOf('hubspot', PEOPLE);
  const all = [...byPlace].map(([place, values]) => ({
    id: bed.crm.ids[place] ?? '',
    donor: values[bed.fieldFor('donorId')] ?? '',
    capacity: Number(values[field] ?? 0),
  }));
  const isRounded = ({ capacity }: { capacity: number }) => capacity % change.to !== 0;
  const [low, high] = all.filter(isRounded).toSorted((one, two) => one.capacity - two.capacity);
  if (low === undefined || high === undefined) throw new Error('Two donors are needed');
  // Any request makes the stand-in run the workflow, because the workflow is now due.
  await bed.crm.open(new AbortController().signal).then(async (connector) => {
    await connector.readByIds([low.id], [field]);
    await connector.close();
  });
  const present = Number((await bed.crm.read(low.id))[field]);
  expect(present).toBe(Math.round(low.capacity / change.to) * change.to);
  return { bed, runId, field, first: low.id, second: high.id, donor: high.donor };
}

describe('a workflow of HubSpot that changes a value long after the run', () => {
  it('does not make the value a user’s: another person’s profile replaces it', async () => {
    const { bed, first, second, donor } = await openLate();
    const spent = await bed.world.spent();
    await bed.crm.becomes(first, second);
    await bed.crm.account.control('DELETE', 'automation');
    await bed.world.sync();
    expect(await donorsIn(bed, first)).toEqual([donor]);
    expect(await bed.world.spent()).toBe(spent);
  });

  it('is blanked with the rest once a user says that the contact is another person', async () => {
    const { bed, first, field } = await openLate();
    await bed.crm.rename(first, 'Xavier', 'Quillfeather');
    await bed.world.sync();
    const [hold] = await listOpenQuestions(bed.world.store.reader);
    if (hold?.about !== 'contact') throw new Error('The contact is not held');
    await recordDecision(bed.world.store, hold, 'rejected');
    await bed.crm.account.control('DELETE', 'automation');
    await bed.world.sync();
    expect((await bed.crm.read(first))[field]).toBeNull();
    expect(await donorsIn(bed, first)).toEqual([]);
  });

  it('does not keep the value from an undo', async () => {
    const { bed, runId, first } = await openLate();
    await bed.crm.account.control('DELETE', 'automation');
    await bed.undo(runId);
    expect(Object.values(await bed.crm.read(first)).filter((value) => value !== null)).toEqual([]);
  });

  it('leaves a value alone that a user typed after the workflow', async () => {
    const { bed, runId, first, second, field } = await openLate();
    await bed.crm.account.setValue(first, field, '77');
    await bed.crm.becomes(first, second);
    await bed.world.sync();
    expect((await bed.crm.read(first))[field]).toBe('77');
    await bed.undo(runId);
    expect((await bed.crm.read(first))[field]).toBe('77');
  });

  it('costs no request as long as nothing is to be written', async () => {
    const { bed } = await openLate();
    await bed.world.sync();
    const before = (await bed.crm.account.requests()).length;
    await bed.world.sync();
    const paths = (await bed.crm.account.requests()).slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith('/contacts/batch/read'))).toEqual([]);
  });
});
