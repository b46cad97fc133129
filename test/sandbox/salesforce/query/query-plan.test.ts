import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../../../../people/world.ts';
import { openDatabase } from '../../../../sandbox/salesforce/core/database.ts';
import { SYSTEM } from '../../../../sandbox/salesforce/metadata/setup-records.ts';
import { openOrg } from '../../../../sandbox/salesforce/org/org.ts';
import { parseSoql } from '../../../../sandbox/salesforce/query/soql/parse.ts';
import { selectSql } from '../../../../sandbox/salesforce/query/soql/selection.ts';

/** Returns SQLite's plan for finding a query's records. */
function planOf(soql: string): string[] {
  const db = openDatabase(undefined);
  onTestFinished(() => {
    db.close();
  });
  const world = createWorld({ seed: 1, donors: 10 });
  const { catalogue, access, clock } = openOrg(db, {
    world,
    contactCount: 10,
    shape: 'npsp',
    apiLimit: 1,
    clock: Date.now,
  });
  const query = parseSoql(soql);
  const context = { catalogue, access, soql, user: SYSTEM, nowMs: clock(), all: false };
  const { text, values } = selectSql(context, catalogue.get(query.sObject), query, {
    what: () => 't.rowid',
  });
  const plan = db.prepare<unknown[], { detail: string }>(`explain query plan ${text}`);
  return plan.all(...values).map(({ detail }) => detail);
}

describe('the plan of a query', () => {
  it('starts at the watermark when a client pages by stamp and id, and sorts nothing', () => {
    const t = '2026-03-10T12:00:00Z';
    const where = `(SystemModstamp > ${t} OR (SystemModstamp = ${t} AND Id > '003Hs0000000001'))`;
    const plan = planOf(
      `SELECT Id FROM Contact WHERE ${where} ORDER BY SystemModstamp, Id LIMIT 2000`,
    );
    expect(plan).toEqual(['SEARCH t USING INDEX Contact by SystemModstamp, Id (SystemModstamp>?)']);
  });

  it('reads the whole list in the order of its index', () => {
    expect(planOf('SELECT Id FROM Contact ORDER BY SystemModstamp, Id')).toEqual([
      'SCAN t USING INDEX Contact by SystemModstamp, Id',
    ]);
  });

  it.each([
    ["Id IN ('003Hs0000000001', '003Hs0000000002')", '(Id=?)'],
    ["AccountId = '001Hs0000000001'", '(AccountId=?)'],
    ["Email = 'a@example.org'", '(Email=?)'],
    ["npsp__Primary_Affiliation__c = '001Hs0000000001'", '(npsp__Primary_Affiliation__c=?)'],
  ])('finds contacts with %s by an index', (where, how) => {
    const [step] = planOf(`SELECT Id FROM Contact WHERE ${where}`);
    expect(step).toMatch(/^SEARCH t USING/);
    expect(step).toContain(how);
  });
});
