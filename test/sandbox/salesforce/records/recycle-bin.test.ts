import { describe, expect, it } from 'vitest';
import type { SalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import { control, edit } from '../../../testbed/asking.ts';
import { ask, codesOf, column, connect, contactIds, create, startOrg, update } from '../org.ts';

async function inCampaign(org: SalesforceSandbox, contactId: string): Promise<unknown[]> {
  const soql = `SELECT CampaignId FROM CampaignMember WHERE ContactId = '${contactId}'`;
  return column(org, soql, 'CampaignId');
}

describe('a deleted record', () => {
  it('is found by queryAll alone, and cannot be written', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    await edit(org, { action: 'delete', id });
    const soql = 'SELECT Id FROM Contact WHERE IsDeleted = true';
    expect(await column(org, soql)).toEqual([]);
    expect(await column(org, soql, 'Id', 'queryAll')).toEqual([id]);
    expect(codesOf(await update(org, [{ id, Title: 'x' }]))).toEqual(['ENTITY_IS_DELETED']);
    const path = `/sobjects/Contact/${id}`;
    expect(await ask(org, 'PATCH', path, { body: { Title: 'x' } })).toMatchObject({
      status: 404,
      body: [{ errorCode: 'ENTITY_IS_DELETED', message: 'entity is deleted' }],
    });
  });

  it('takes its memberships with it and brings them back', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const campaign = await create(org, 'Campaign', { Name: 'New' });
    await create(org, 'CampaignMember', { CampaignId: campaign, ContactId: id });
    const before = await inCampaign(org, id);
    await edit(org, { action: 'delete', id });
    expect(await inCampaign(org, id)).toEqual([]);
    await edit(org, { action: 'undelete', id });
    expect(await inCampaign(org, id)).toEqual(before);
    expect(codesOf(await update(org, [{ id, Title: 'x' }]))).toEqual([null]);
  });

  it('is found no more once it is purged, and still counts as deleted', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    await edit(org, { action: 'delete', id });
    await edit(org, { action: 'purge', id });
    const soql = `SELECT Id FROM Contact WHERE Id = '${id}'`;
    expect(await column(org, soql, 'Id', 'queryAll')).toEqual([]);
    expect(codesOf(await update(org, [{ id, Title: 'x' }]))).toEqual(['ENTITY_IS_DELETED']);
    const again = await control(org, 'POST', '/edit', { action: 'undelete', id });
    expect(again.status).toBe(422);
  });
});

describe('a merge', () => {
  it('leaves the loser in the bin with its master, and moves what hung on it', async () => {
    const org = await startOrg();
    const [masterId = '', loser = ''] = await contactIds(org, 2);
    const both = await create(org, 'Campaign', { Name: 'Both' });
    const own = await create(org, 'Campaign', { Name: 'Own' });
    await create(org, 'CampaignMember', { CampaignId: both, ContactId: masterId });
    await create(org, 'CampaignMember', { CampaignId: both, ContactId: loser });
    await create(org, 'CampaignMember', { CampaignId: own, ContactId: loser });
    const before = await inCampaign(org, masterId);

    await edit(org, { action: 'merge', masterId, loserIds: [loser] });

    const soql = 'SELECT Id, MasterRecordId FROM Contact WHERE IsDeleted = true';
    expect(await column(org, soql, 'Id', 'queryAll')).toEqual([loser]);
    expect(await column(org, soql, 'MasterRecordId', 'queryAll')).toEqual([masterId]);
    const after = await inCampaign(org, masterId);
    expect(after).toEqual(expect.arrayContaining([...before, own]));
    expect(after.filter((id) => id === both)).toHaveLength(1);
  });
});

describe('replication', () => {
  const MINUTE_MS = 60_000;

  it('tells the real client what changed and what went', async () => {
    const clock = aClock();
    const org = await startOrg({ clock: clock.read });
    const [changed = '', deleted = ''] = await contactIds(org, 2);
    clock.advance(5 * MINUTE_MS);
    await update(org, [{ id: changed, Title: 'x' }]);
    await edit(org, { action: 'delete', id: deleted });
    clock.advance(5 * MINUTE_MS);
    const [start, end] = ['2026-03-10T12:01:59Z', '2026-03-10T12:09:30Z'];
    const connection = connect(org);
    expect(await connection.updated('Contact', start, end)).toEqual({
      ids: [changed],
      latestDateCovered: '2026-03-10T12:09:00.000+0000',
    });
    expect(await connection.deleted('Contact', start, end)).toMatchObject({
      deletedRecords: [{ id: deleted, deletedDate: '2026-03-10T12:05:00.000+0000' }],
      latestDateCovered: '2026-03-10T12:09:00.000+0000',
    });
  });

  it.each([
    ['updated', '2026-03-10T12:00:01Z', '2026-03-10T12:00:59Z'],
    ['updated', '2026-02-01T00:00:00Z', '2026-03-10T12:00:00Z'],
    ['deleted', '2026-02-20T00:00:00Z', '2026-03-10T12:00:00Z'],
    ['deleted', 'yesterday', '2026-03-10T12:00:00Z'],
  ])('refuses %s from %s to %s', async (what, start, end) => {
    const org = await startOrg({ clock: aClock().read });
    const path = `/sobjects/Contact/${what}/?start=${start}&end=${end}`;
    expect(await ask(org, 'GET', path)).toMatchObject({
      status: 400,
      body: [{ errorCode: 'INVALID_REPLICATION_DATE' }],
    });
  });
});
