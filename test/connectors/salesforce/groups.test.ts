import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, GroupSelector } from '../../../connectors/contract.ts';
import { salesforceGroupSchema } from '../../../connectors/salesforce/settings.ts';
import { toArray } from '../connector-options.ts';
import { openScriptedSalesforce, records, type ScriptedSalesforce } from './scripted-salesforce.ts';

const ANN = '003000000000001AAA';
const BOB = '003000000000002AAA';

describe('groups of Salesforce', () => {
  let crm: ScriptedSalesforce;
  let connector: Connector;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    connector = await crm.connector();
  });

  afterEach(() => crm.close());

  it('brings the contacts of a campaign by its name, each once, and no leads', async () => {
    queries((soql) =>
      soql.includes('FROM CampaignMember')
        ? records({ ContactId: ANN }, { LeadId: '00Q' }, { ContactId: ANN }, { ContactId: BOB })
        : records({ Id: '701000000000001AAA' }),
    );
    const selector = { campaign: "Ann's Board", statuses: ['Sent', 'Responded'] };
    expect(await read(selector)).toEqual([ANN, BOB]);
    expect(soqls()).toEqual([
      "SELECT Id FROM Campaign WHERE Name = 'Ann\\'s Board' LIMIT 2",
      "SELECT Id, ContactId, LeadId FROM CampaignMember WHERE CampaignId = '701000000000001AAA' AND Status IN ('Sent','Responded')",
    ]);
  });

  it('finds a campaign by the short form of its id', async () => {
    queries((soql) =>
      soql.includes('CampaignMember') ? records() : records({ Id: '701000000000001AAA' }),
    );
    expect(await read({ campaign: '701000000000001' })).toEqual([]);
    expect(soqls()[0]).toContain("Id = '701000000000001AAA'");
  });

  it.each([
    [0, 'no Campaign "Board"'],
    [2, 'more than one Campaign'],
  ])('throws for a name that %i campaigns have', async (count, words) => {
    queries(() => records(...Array.from({ length: count }, () => ({ Id: '701000000000001AAA' }))));
    await expect(read({ campaign: 'Board' })).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining(words),
    });
  });

  it('brings people by their present affiliation with an organization', async () => {
    queries((soql) =>
      soql.includes('npe5__Affiliation__c')
        ? records({ npe5__Contact__c: ANN })
        : records({ Id: '001000000000001AAA' }),
    );
    expect(await read({ affiliation: { organization: 'Acme', role: 'Board' } })).toEqual([ANN]);
    expect(soqls()[1]).toBe(
      "SELECT Id, npe5__Contact__c FROM npe5__Affiliation__c WHERE npe5__Organization__c = '001000000000001AAA' AND npe5__Status__c = 'Current' AND npe5__Role__c = 'Board'",
    );
  });

  it('brings the contacts that meet a condition', async () => {
    queries(() => records({ Id: ANN }, { Id: BOB }));
    expect(await read({ where: 'Board__c = true OR Staff__c = true' })).toEqual([ANN, BOB]);
    expect(soqls()).toEqual(['SELECT Id FROM Contact WHERE (Board__c = true OR Staff__c = true)']);
  });

  it('lists the active campaigns with their counts', async () => {
    queries(() => records({ Id: '701000000000001AAA', Name: 'Board', NumberOfContacts: 7 }));
    expect(await connector.listGroups()).toEqual([
      { selector: { campaign: '701000000000001AAA' }, name: 'Board', memberCount: 7 },
    ]);
  });

  it.each([[{}], [{ campaign: 'A', where: 'B' }], [{ statuses: ['Sent'] }], [{ where: ' ' }]])(
    'has no selector such as %o',
    (selector) => {
      expect(salesforceGroupSchema.safeParse(selector).success).toBe(false);
    },
  );

  describe('by a report', () => {
    const REPORT = '00O000000000001';

    it('brings the contacts of all groupings by the column with their ids', async () => {
      report({ columns: ['LAST_NAME', 'CONTACT_ID', 'Contact.ReportsTo'] }, [
        ['Lopez', ANN.slice(0, 15), BOB],
        ['Smith', BOB, null],
      ]);
      expect(await read({ report: REPORT })).toEqual([ANN, BOB]);
      expect(crm.asked.at(-1)?.path).toBe(
        '/analytics/reports/00O000000000001EAA?includeDetails=true',
      );
    });

    it('takes the only column that holds ids, whatever it is called', async () => {
      report({ columns: ['FULL_NAME', 'X'] }, [[ANN, '12']]);
      expect(await read({ report: REPORT })).toEqual([ANN]);
    });

    it.each([
      ['without ids', ['LAST_NAME'], [['Lopez']]],
      ['with two columns of ids', ['A', 'B'], [[ANN, BOB]]],
    ])('throws for one %s', async (_, columns, rows) => {
      report({ columns }, rows);
      await expect(read({ report: REPORT })).rejects.toMatchObject({
        kind: 'configuration',
        message: expect.stringContaining('Contact ID'),
      });
    });

    it('throws for one of which Salesforce shows only a part', async () => {
      report({ columns: ['CONTACT_ID'], allData: false }, [[ANN]]);
      await expect(read({ report: REPORT })).rejects.toMatchObject({ code: 'crm_group_too_large' });
    });

    it('brings no member from an empty one', async () => {
      report({ columns: ['CONTACT_ID'] }, []);
      expect(await read({ report: REPORT })).toEqual([]);
    });

    function report(
      { columns, allData = true }: { columns: string[]; allData?: boolean },
      rows: (string | null)[][],
    ): void {
      const body = {
        allData,
        hasDetailRows: true,
        reportMetadata: { name: 'Board', detailColumns: columns },
        factMap: {
          'T!T': { aggregates: [] },
          ...Object.fromEntries(
            rows.map((cells, at) => [
              `${at}!T`,
              { rows: [{ dataCells: cells.map((value) => ({ label: String(value), value })) }] },
            ]),
          ),
        },
      };
      crm.script(({ path }) => (path.startsWith('/analytics/') ? { body } : null));
    }
  });

  async function read(selector: GroupSelector): Promise<string[]> {
    return (await toArray(connector.readGroup(selector))).flat();
  }

  function queries(answer: (soql: string) => ReturnType<typeof records>): void {
    crm.script(({ path }) => (path.startsWith('/query?q=') ? answer(path.slice(9)) : null));
  }

  function soqls(): string[] {
    return crm.asked.flatMap(({ path }) => (path.startsWith('/query?q=') ? [path.slice(9)] : []));
  }
});
