import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { control } from '../../../testbed/asking.ts';
import { ask, column, connect, startOrg } from '../org.ts';

const resultSchema = z.looseObject({
  allData: z.boolean(),
  hasDetailRows: z.boolean(),
  factMap: z.object({
    'T!T': z.object({
      aggregates: z.array(z.object({ label: z.string(), value: z.number() })),
      rows: z
        .array(
          z.object({ dataCells: z.array(z.object({ label: z.string(), value: z.unknown() })) }),
        )
        .optional(),
    }),
  }),
  reportMetadata: z.looseObject({ detailColumns: z.array(z.string()) }),
  reportExtendedMetadata: z.looseObject({ detailColumnInfo: z.record(z.string(), z.unknown()) }),
});

describe('reports', () => {
  it('are found by a query and run by the real client', async () => {
    const org = await startOrg({ contacts: 100, donors: 100 });
    const id = await reportId(org, 'Board Members');
    const run = await connect(org).analytics.report(id).execute({ details: true });
    const { factMap, allData, reportMetadata } = resultSchema.parse(run);
    const at = reportMetadata.detailColumns.indexOf('CONTACT_ID');
    const shown = (factMap['T!T'].rows ?? []).map(({ dataCells }) => dataCells[at]?.value);
    const members = await column(
      org,
      "SELECT ContactId FROM CampaignMember WHERE Campaign.Name = 'Board of Directors'",
      'ContactId',
    );
    expect(shown.toSorted()).toEqual(members.toSorted());
    expect(members.length).toBeGreaterThan(0);
    expect(allData).toBe(true);
  });

  it('give 2,000 rows of a larger list, and say that there are more', async () => {
    const org = await startOrg({ contacts: 2001 });
    const { allData, factMap } = await run(org, 'All Contacts');
    expect(allData).toBe(false);
    expect(factMap['T!T'].rows).toHaveLength(2000);
    expect(factMap['T!T'].aggregates).toEqual([{ label: '2,001', value: 2001 }]);
  });

  it('give 2,000 rows of a list of as many, and say that these are all', async () => {
    const org = await startOrg({ contacts: 2000 });
    expect((await run(org, 'All Contacts')).allData).toBe(true);
  });

  it('give no rows unless they are asked for', async () => {
    const org = await startOrg();
    const { hasDetailRows, factMap } = await run(org, 'All Contacts', '');
    expect(hasDetailRows).toBe(false);
    expect(factMap['T!T']).toEqual({ aggregates: [{ label: '20', value: 20 }] });
  });

  it('show what leads to another record with its name and its id', async () => {
    const org = await startOrg();
    const { factMap, reportMetadata } = await run(org, 'All Contacts');
    const at = reportMetadata.detailColumns.indexOf('ACCOUNT.NAME');
    const cell = factMap['T!T'].rows?.[0]?.dataCells[at];
    const [name] = await column(
      org,
      `SELECT Name FROM Account WHERE Id = '${cell?.value}'`,
      'Name',
    );
    expect(cell?.label).toBe(name);
  });

  it('leave out columns that the user must not see', async () => {
    const org = await startOrg();
    await control(org, 'PUT', '/field-access', {
      type: 'Contact',
      field: 'Email',
      access: 'hidden',
    });
    const { reportMetadata, reportExtendedMetadata, factMap } = await run(org, 'All Contacts');
    const columns = ['CONTACT_ID', 'FIRST_NAME', 'LAST_NAME', 'ACCOUNT.NAME'];
    expect(reportMetadata.detailColumns).toEqual(columns);
    expect(Object.keys(reportExtendedMetadata.detailColumnInfo)).toEqual(columns);
    expect(factMap['T!T'].rows?.[0]?.dataCells).toHaveLength(columns.length);
  });

  it('show the columns that are asked for', async () => {
    const org = await startOrg();
    const id = await reportId(org, 'All Contacts');
    const body = { reportMetadata: { detailColumns: ['LAST_NAME', 'CONTACT_ID'] } };
    const path = `/analytics/reports/${id}?includeDetails=true`;
    const { reportMetadata } = resultSchema.parse((await ask(org, 'POST', path, { body })).body);
    expect(reportMetadata.detailColumns).toEqual(['LAST_NAME', 'CONTACT_ID']);
    const unknown = { reportMetadata: { detailColumns: ['SHOE_SIZE'] } };
    expect((await ask(org, 'POST', path, { body: unknown })).status).toBe(400);
  });

  it('are listed and described, and unknown ones are not found', async () => {
    const org = await startOrg();
    const list = z.array(z.looseObject({ id: z.string(), name: z.string() }));
    const reports = list.parse((await ask(org, 'GET', '/analytics/reports')).body);
    expect(reports.map(({ name }) => name)).toEqual(
      await column(org, 'SELECT Name FROM Report ORDER BY Id', 'Name'),
    );
    const { body } = await ask(org, 'GET', `/analytics/reports/${reports[0]?.id}/describe`);
    expect(body).toMatchObject({ reportMetadata: { name: 'Board Members' } });
    const unknown = await ask(org, 'GET', '/analytics/reports/00O000000000000EAA');
    expect(unknown.status).toBe(404);
  });
});

async function reportId(org: SalesforceSandbox, name: string): Promise<string> {
  const [id] = await column(org, `SELECT Id FROM Report WHERE Name = '${name}'`);
  return z.string().parse(id);
}

async function run(org: SalesforceSandbox, name: string, parameters = '?includeDetails=true') {
  const id = await reportId(org, name);
  const { body } = await ask(org, 'GET', `/analytics/reports/${id}${parameters}`);
  return resultSchema.parse(body);
}
