import { afterEach, describe, expect, it } from 'vitest';
import type { Contact } from '../../../src/core/contact.ts';
import { judgeSample } from '../../../src/operations/doctor/check-sample.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { openHubspot } from './an-empty-hubspot.ts';
import { openSalesforce } from './an-empty-salesforce.ts';
import { findingsSchema } from './documents.ts';

let world: CliWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

function contacts(count: number, more: Partial<Contact> = {}): Contact[] {
  return Array.from({ length: count }, (_, at) => ({
    id: String(at),
    firstName: 'First',
    lastName: 'Last',
    addresses: ['1 Main Street'],
    employers: ['Harbor Bank'],
    optedOut: false,
    ...more,
  }));
}

describe('the contacts that doctor reads', () => {
  it('are counted by what the service would be shown of them', () => {
    const all = [
      ...contacts(2),
      ...contacts(1, { firstName: null }),
      ...contacts(1, { addresses: [], employers: [] }),
      ...contacts(1, { optedOut: true }),
      ...contacts(1, { excluded: 'deceased' }),
    ];
    expect(judgeSample(all, 14, new Set())).toMatchObject([
      {
        ok: true,
        fix: null,
        message:
          '6 contacts read as a run reads them, with 14 mapped fields: 5 with first and last name, 5 with an address, 5 with an employer, 2 excluded by a mark.',
      },
    ]);
  });

  it('are a reason to look where none of many has an employer', () => {
    const [found] = judgeSample(contacts(40, { employers: [] }), 1, new Set());
    expect(found).toMatchObject({ ok: true, fix: expect.stringContaining('employers') });
    expect(judgeSample(contacts(3, { employers: [] }), 1, new Set())[0]?.fix).toBeNull();
  });

  it('show what a description promises and an answer leaves out', () => {
    const hidden = contacts(3, { employers: [], unreadable: ['Account.Name', 'OtherStreet'] });
    const [, ...broken] = judgeSample([...contacts(7), ...hidden], 1, new Set(['Account.Name']));
    expect(broken).toMatchObject([
      {
        ok: false,
        cause: 'crm_records_hidden',
        message: expect.stringMatching(/^Account\.Name cannot be read for 3 of 10 contacts/),
      },
    ]);
  });

  it('are none where the CRM shows none, and a person is asked to look', async () => {
    world = await openCliWorld();
    await using _crm = await openHubspot(world);
    expect(await findings('contacts read')).toMatchObject([
      { ok: true, fix: expect.stringContaining('contacts.filter') },
    ]);
  });

  it('are read of a file, too', async () => {
    world = await openCliWorld();
    expect(await findings('contacts read')).toMatchObject([
      { message: expect.stringMatching(/^12 contacts read as a run reads them/) },
    ]);
  });
});

describe('donor-sync doctor at the limit of requests', () => {
  it('says when the limit ends, once, and names no sign-in and no access to correct', async () => {
    world = await openCliWorld();
    await using crm = await openSalesforce(world);
    await crm.control('PUT', 'api-usage', { used: 1_000_000 });
    const { exitCode, stdout } = await world.run(['doctor', '--json']);
    expect(exitCode).toBe(2);
    const { findings: all, causes } = findingsSchema.parse(JSON.parse(stdout));
    expect(causes).toBe(1);
    expect(all.filter(({ ok }) => !ok)).toMatchObject([
      {
        subject: 'daily requests',
        cause: 'crm_limit_reached',
        fix: expect.stringMatching(
          /^Wait until .*, no later than .* UTC\. You do not have to change the sign-in or the/,
        ),
      },
    ]);
  });
});

async function findings(subject: string) {
  const { stdout } = (await world?.run(['doctor', '--json'])) ?? { stdout: '' };
  const { findings: all } = findingsSchema.parse(JSON.parse(stdout));
  return all.filter((one) => one.subject === subject);
}
