import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Donor } from '../../service/donor.ts';
import { aClock } from '../testbed/a-clock.ts';
import { aWorldOf } from './hand-made-world.ts';
import { ask, personOf, startPartner, submitOne } from './partner.ts';

const HOME = { street: '12 Alder Lane', city: 'Boise', state: 'ID', postalCode: '83702' };

const KNOWN: Donor = {
  id: 'a'.repeat(32),
  name: { first: 'Grace', middle: 'B', last: 'Hopwood' },
  birthYear: 1956,
  householdId: null,
  addresses: [HOME],
  work: [
    aRole('Old Mill', '1980-01-01', '1990-01-01'),
    aRole('New Mill', '2001-01-01', null),
    aRole('Mid Mill', '1990-01-01', '2001-01-01'),
  ],
  education: [aRole('Hill College', '1974-09-01', '1978-06-01')],
  boards: [],
  gifts: [],
  netWorth: { low: 1_000_000, high: 5_000_000 },
  capacity: { political: 500, nonprofit: 25_000 },
  bio: ['Grace Hopwood lives in Boise, ID.'],
};

const UNKNOWN_WEALTH: Donor = {
  ...KNOWN,
  id: 'b'.repeat(32),
  name: { first: 'Alan', middle: null, last: 'Turley' },
  birthYear: null,
  work: [],
  education: [],
  netWorth: null,
  capacity: { political: null, nonprofit: null },
  bio: [],
};

describe('the donor profile (section 2.6)', () => {
  it('tells all that is known of a donor, present employer first', async () => {
    expect(await enhance(KNOWN)).toMatchObject({
      id: KNOWN.id,
      name: { first: 'Grace', middle: 'B', last: 'Hopwood' },
      service_url: expect.stringMatching(/^https:\/\/.*a{32}$/),
      age: 70,
      net_worth_range: [1_000_000, 5_000_000],
      political_stats: { capacity: 500 },
      nonprofit_stats: { capacity: 25_000 },
      education: [{ institution_name: 'Hill College' }],
      work: [
        { company_name: 'New Mill' },
        { company_name: 'Mid Mill' },
        { company_name: 'Old Mill' },
      ],
      bio: ['Grace Hopwood lives in Boise, ID.'],
    });
  });

  it('leaves null or empty what is not known, and invents no wealth', async () => {
    expect(await enhance(UNKNOWN_WEALTH)).toMatchObject({
      age: null,
      net_worth_range: null,
      political_stats: { capacity: null },
      nonprofit_stats: { capacity: null },
      education: [],
      work: [],
      bio: [],
    });
  });
});

async function enhance(donor: Donor): Promise<unknown> {
  const clock = aClock('2026-03-10T12:00:00Z').read;
  const partner = await startPartner({ world: aWorldOf([KNOWN, UNKNOWN_WEALTH]), clock });
  const id = await submitOne(partner, personOf(donor));
  const { body } = await ask(partner, 'POST', '/enhancements/results/batch', { job_ids: [id] });
  const state = z.object({ progress: z.unknown(), result: z.unknown() });
  const { job_id_to_state: states } = z
    .object({ job_id_to_state: z.record(z.string(), state) })
    .parse(body);
  return states[id]?.result;
}

function aRole(organisationName: string, start: string, end: string | null) {
  return { organisationId: organisationName, organisationName, title: 'Member', start, end };
}
