import { describe, expect, it } from 'vitest';
import type { FieldSource } from '../../../src/core/field-map.ts';
import { listWaitingValues } from '../../../src/fields/statements/value-states.ts';
import {
  type Bed,
  type Crm,
  expectWhole,
  fail,
  type HubspotCrm,
  type LeftOut,
  openHubspot,
  openSalesforce,
  referenceOf,
  type SalesforceCrm,
} from './testbed.ts';

const PEOPLE = 300;
const CAPACITY: FieldSource = 'capacity.nonprofit';

/**
 * Jobs take no time in these tests. If jobs took time, the number of partly filled batches would depend on the
 * machine's load.
 */
const WHOLE_BATCHES = { service: { jobTimeMs: 0 } };

/**
 * Returns a limit and the number of capacities above the limit. About this share of the known capacities is larger
 * than the limit.
 */
async function limitFor(bed: Bed<Crm>, share: number): Promise<{ limit: number; over: number }> {
  const { byPlace } = await referenceOf(bed.crm.kind, PEOPLE);
  const field = bed.fieldFor(CAPACITY);
  const numbers = [...byPlace.values()]
    .flatMap((values) => Number(values[field] ?? []) || [])
    .toSorted((one, other) => other - one);
  const limit = numbers[Math.round(numbers.length * share)] ?? fail('Nobody has a capacity');
  return { limit, over: numbers.filter((number) => number > limit).length };
}

/** Returns a function that is true for values above a limit. */
function overLimit(bed: Bed<Crm>, limit: number): LeftOut {
  const field = bed.fieldFor(CAPACITY);
  return (name, value) => name === field && value !== null && Number(value) > limit;
}

/** Returns the number of update requests on a first night without a rule. */
async function usualUpdates(): Promise<number> {
  const { crm, world } = await openHubspot({ people: PEOPLE, ...WHOLE_BATCHES });
  await world.sync();
  return crm.countUpdates();
}

describe('a rule of HubSpot that refuses 9 % of the values', () => {
  it('costs exactly those values, and no request, where the rules can be read', async () => {
    const bed = await openHubspot({ people: PEOPLE, ...WHOLE_BATCHES });
    const { limit, over } = await limitFor(bed, 0.09);
    await limitTo(bed, limit);
    await bed.world.sync();
    await expectWhole(bed, { isLeftOut: overLimit(bed, limit) });
    expect(over / (await known(bed))).toBeCloseTo(0.09, 1);
    expect(await bed.crm.countUpdates()).toBeLessThanOrEqual(1.2 * (await usualUpdates()));
    await expectRuleLifted(bed, limit);
  });

  it('costs exactly those values where the rules cannot be read', async () => {
    const bed = await openHubspot({ people: PEOPLE, ...WHOLE_BATCHES });
    const { limit } = await limitFor(bed, 0.09);
    await limitTo(bed, limit);
    const path = '*property-validations*';
    await bed.crm.account.putFaults([
      { on: { path }, fault: { kind: 'gatewayError', status: 503 } },
    ]);
    await bed.world.sync();
    await expectWhole(bed, { isLeftOut: overLimit(bed, limit) });
    // With few contacts, the first batches are needed to find the limit. With many contacts, this takes only 1.05
    // times the requests.
    expect(await bed.crm.countUpdates()).toBeLessThanOrEqual(2 * (await usualUpdates()));
    await expectRuleLifted(bed, limit);
  });
});

async function known(bed: Bed<Crm>): Promise<number> {
  return (await referenceOf(bed.crm.kind, PEOPLE)).byPlace.size;
}

async function limitTo({ crm, fieldFor }: Bed<HubspotCrm>, limit: number | null): Promise<void> {
  const property = fieldFor(CAPACITY);
  const rules = limit === null ? [] : [{ ruleType: 'MAX_NUMBER', ruleArguments: [String(limit)] }];
  await crm.account.control('PUT', 'property-validations', { property, rules });
}

/** Removes the rule, and expects that the values arrive the next time a few of them are tried. */
async function expectRuleLifted(bed: Bed<HubspotCrm>, limit: number): Promise<void> {
  const { world } = bed;
  const spent = await world.spent();
  // In the first run after the change, the product tries a few contacts without success.
  const before = await bed.crm.countUpdates();
  await world.sync();
  await expectWhole(bed, { isLeftOut: overLimit(bed, limit) });
  expect((await bed.crm.countUpdates()) - before).toBeLessThanOrEqual(5);
  await limitTo(bed, null);
  await letADayPass(bed);
  await world.sync();
  await expectWhole(bed);
  expect(await world.spent()).toBe(spent);
  expect(await listWaitingValues(world.store.reader, 'riverside')).toEqual([]);
}

describe('a rule of Salesforce that refuses 9 % of the values', () => {
  it('costs exactly those values, and few requests, and they arrive once it is gone', async () => {
    const [usual, { bed, requests, limit }] = [await firstNight(0), await firstNight(0.09)];
    const { crm, world } = bed;
    await expectWhole(bed, { isLeftOut: overLimit(bed, limit) });
    expect(requests).toBeLessThanOrEqual(1.2 * usual.requests);
    const spent = await world.spent();
    await crm.org.control('DELETE', 'rules');
    await letADayPass(bed);
    await world.sync();
    await expectWhole(bed);
    expect(await world.spent()).toBe(spent);
  });

  /**
   * Runs a first sync with a rule that names its field and refuses this share of the values. If the share is 0, there
   * is no rule.
   */
  async function firstNight(share: number) {
    const bed = await openSalesforce({ people: PEOPLE, ...WHOLE_BATCHES });
    const { limit } = await limitFor(bed, share);
    if (share > 0) {
      const field = bed.fieldFor(CAPACITY);
      const rule = { when: `${field} > ${limit}`, message: 'Too much.', field };
      await bed.crm.org.control('POST', 'rules', { kind: 'validation', type: 'Contact', ...rule });
    }
    const asked = (await bed.crm.org.requests()).length;
    await bed.world.sync();
    return { bed, limit, requests: (await bed.crm.org.requests()).length - asked };
  }
});

describe('two rules of Salesforce that name no field', () => {
  it('cost the values to blame alone, at most 30 requests, and no write', async () => {
    const usual = await firstNight(async () => undefined);
    const { bed, requests, updates } = await firstNight(addRules);
    const { limit } = await limitFor(bed, 0.3);
    const { crm, world } = bed;
    await expectWhole(bed, { isLeftOut: overLimit(bed, limit) });
    expect(requests - usual.requests).toBeLessThanOrEqual(30);
    expect(updates).toBe(usual.updates);
    const spent = await world.spent();
    await crm.org.control('DELETE', 'rules');
    await letADayPass(bed);
    await world.sync();
    await expectWhole(bed);
    expect(await world.spent()).toBe(spent);
    expect(await listWaitingValues(world.store.reader, 'riverside')).toEqual([]);
  });

  async function firstNight(before: (bed: Bed<SalesforceCrm>) => Promise<unknown>) {
    const bed = await openSalesforce({ people: PEOPLE, ...WHOLE_BATCHES });
    await before(bed);
    const asked = (await bed.crm.org.requests()).length;
    await bed.world.sync();
    const requests = (await bed.crm.org.requests()).length - asked;
    return { bed, requests, updates: await bed.crm.countUpdates() };
  }

  /**
   * Adds a limit for a field, and a rule for a pair of fields. The CRM accepts the pair's second field only if
   * donor-sync writes both fields.
   */
  async function addRules(bed: Bed<SalesforceCrm>): Promise<void> {
    const { limit } = await limitFor(bed, 0.3);
    const [low, high] = [bed.fieldFor('netWorth.low'), bed.fieldFor('netWorth.high')];
    const pair = `(${low} != null AND ${high} = null) OR (${low} = null AND ${high} != null)`;
    for (const when of [`${bed.fieldFor(CAPACITY)} > ${limit}`, pair]) {
      const message = `Our rule about ${when.slice(0, 12)}`;
      await bed.crm.org.control('POST', 'rules', {
        ...{ kind: 'validation', type: 'Contact', when, message },
      });
    }
  }
});

/** Lets a day pass, so that the next run tries refused values again. */
async function letADayPass({ world }: Bed<Crm>): Promise<void> {
  await world.database.db
    .updateTable('value_states')
    .set((eb) => ({ since: eb('since', '-', 86_400_000), probed_at: null }))
    .execute();
}
