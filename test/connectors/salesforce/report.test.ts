import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

describe('a group by a report', () => {
  let org: Org;

  afterEach(() => org.close());

  it('is read whole up to two thousand rows, and not at all beyond', async () => {
    const { connector, report } = await start('All Contacts');
    const ids = await org.addContacts(people(2_000));
    expect((await read(connector, report)).sort()).toEqual(ids.sort());
    await org.addContacts([{ firstName: 'One', lastName: 'More', addresses: [], employers: [] }]);
    await expect(read(connector, report)).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_group_too_large',
      message: expect.stringMatching(/00O\w{15} has more than 2,000 rows.*narrow its filters/),
    });
  });

  it('has the people that its filters let in', async () => {
    const { connector, report } = await start('Board Members', 60);
    const board = await toArray(connector.readGroup({ campaign: 'Board of Directors' }));
    expect(board.flat()).toHaveLength(20);
    expect((await read(connector, report)).sort()).toEqual(board.flat().sort());
  });

  it('has no member where its filters let none in', async () => {
    const { connector, report } = await start('Board Members');
    expect(await read(connector, report)).toEqual([]);
  });

  it('is named when the org has no such report', async () => {
    const { connector } = await start('Board Members');
    await expect(read(connector, '00O000000000099EAA')).rejects.toMatchObject({
      kind: 'configuration',
      code: 'crm_group_unknown',
      message: expect.stringContaining('"00O000000000099'),
    });
  });

  async function start(name: string, contacts = 0) {
    org = await openOrg({ contacts, donors: 200 });
    const connector = await org.connector();
    const reports = reportsSchema.parse(await org.ask('GET', '/analytics/reports'));
    return { connector, report: reports.find((one) => one.name === name)?.id ?? '' };
  }
});

const reportsSchema = z.array(z.object({ id: z.string(), name: z.string() }));

async function read(connector: Connector, report: string): Promise<string[]> {
  return (await toArray(connector.readGroup({ report }))).flat();
}
