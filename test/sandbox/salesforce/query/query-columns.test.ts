import { describe, expect, it } from 'vitest';
import { ask, startOrg } from '../org.ts';

describe('describeColumns', () => {
  it('gives what is calculated the name of its value, and shows the function', async () => {
    const body = await columnsOf(
      'SELECT Title, COUNT(Id), MAX(Name) top FROM Contact GROUP BY Title',
    );
    expect(body).toMatchObject({
      groupBy: true,
      columnMetadata: [
        { columnName: 'Title', aggregate: false },
        { columnName: 'expr0', displayName: 'COUNT(Id)', aggregate: true, joinColumns: [] },
        { columnName: 'top', displayName: 'MAX(Name)', aggregate: true },
      ],
    });
  });

  it('puts the columns of children below one for all of them', async () => {
    const soql = 'SELECT Name, (SELECT Id, Owner.Name FROM Contacts) FROM Account';
    expect(await columnsOf(soql)).toMatchObject({
      groupBy: false,
      columnMetadata: [
        { columnName: 'Name', aggregate: false },
        {
          columnName: 'Contacts',
          aggregate: true,
          joinColumns: [
            { columnName: 'Id' },
            { columnName: 'Owner', joinColumns: [{ columnName: 'Name' }] },
          ],
        },
      ],
    });
  });
});

async function columnsOf(soql: string): Promise<unknown> {
  const org = await startOrg();
  const path = `/query?q=${encodeURIComponent(soql)}&columns=true`;
  return (await ask(org, 'GET', path)).body;
}
