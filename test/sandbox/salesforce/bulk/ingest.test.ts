import { setImmediate as letOthersRun } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSalesforceSandbox } from '../../../../sandbox/salesforce/index.ts';
import { aClock } from '../../../testbed/a-clock.ts';
import { control, edit } from '../../../testbed/asking.ts';
import { ask, column, connect, contactIds, query, startOrg } from '../org.ts';
import {
  ended,
  ingest,
  lookAt,
  openIngest,
  refusalOf,
  resultsOf,
  setState,
  upload,
} from './bulk.ts';

describe('uploads of the Bulk API', () => {
  it('updates the records of an upload and says so of each', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [one, other] = await contactIds(org, 2);
    const job = await ingest(org, `Id,Title\n${one},Mayor\n${other},"Baker, retired"\n`);
    expect(job).toMatchObject({
      state: 'JobComplete',
      jobType: 'V2Ingest',
      numberRecordsProcessed: 2,
      numberRecordsFailed: 0,
    });
    expect(await resultsOf(org, job, 'successfulResults')).toEqual([
      ['sf__Id', 'sf__Created', 'Id', 'Title'],
      [one, 'false', one, 'Mayor'],
      [other, 'false', other, 'Baker, retired'],
    ]);
    expect(await resultsOf(org, job, 'failedResults')).toEqual([
      ['sf__Id', 'sf__Error', 'Id', 'Title'],
    ]);
    const soql = `SELECT Title FROM Contact WHERE Id = '${other}'`;
    expect(await column(org, soql, 'Title')).toEqual(['Baker, retired']);
  });

  it('works with the real client', async () => {
    const org = await startOrg();
    const [one = '', other = ''] = await contactIds(org, 2);
    const { successfulResults, failedResults } = await connect(org).bulk2.loadAndWaitForResults({
      object: 'Contact',
      operation: 'update',
      input: [
        { Id: one, Title: 'Mayor' },
        { Id: other, Title: 'x'.repeat(200) },
      ],
      pollInterval: 20,
      pollTimeout: 30_000,
    });
    expect(successfulResults).toMatchObject([{ sf__Id: one, sf__Created: 'false' }]);
    expect(failedResults).toMatchObject([{ sf__Id: other }]);
  });

  it('clears a field for #N/A and leaves it alone for an empty cell', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [id] = await contactIds(org, 1);
    await ingest(org, `Id,Title,Department\n${id},Mayor,City\n`);
    await ingest(org, `Id,Title,Department\n${id},#N/A,\n`);
    const soql = `SELECT Title, Department FROM Contact WHERE Id = '${id}'`;
    const { records } = await query(org, soql);
    expect(records).toMatchObject([{ Title: null, Department: 'City' }]);
  });

  it('writes what it can, and names the error of every other record', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [one, other] = await contactIds(org, 2);
    const unknown = '003000000000000AAA';
    const tooLong = 'x'.repeat(129);
    const csv = `Id,Title\n${one},Mayor\n${other},${tooLong}\n${unknown},Mayor\n`;
    const job = await ingest(org, csv);
    expect(job).toMatchObject({
      state: 'JobComplete',
      numberRecordsProcessed: 3,
      numberRecordsFailed: 2,
    });
    const [, ...failed] = await resultsOf(org, job, 'failedResults');
    expect(new Map(failed.map(([, error, id]) => [id, error]))).toEqual(
      new Map([
        [
          other,
          `STRING_TOO_LONG:Title: data value too large: ${tooLong} (max length=128):Title --`,
        ],
        [unknown, 'INVALID_CROSS_REFERENCE_KEY:invalid cross reference id:--'],
      ]),
    );
  });

  it('inserts, upserts and deletes', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const inserted = await ingest(org, 'FirstName,LastName\nAda,Byron\n', { operation: 'insert' });
    const [, [id = '', isNew] = []] = await resultsOf(org, inserted, 'successfulResults');
    expect(isNew).toBe('true');

    const upsert = { operation: 'upsert', externalIdFieldName: 'Id' };
    const upserted = await ingest(org, `Id,LastName\n${id},Lovelace\n,Babbage\n`, upsert);
    const [, ...written] = await resultsOf(org, upserted, 'successfulResults');
    expect(new Map(written.map(([, created, , name]) => [name, created]))).toEqual(
      new Map([
        ['Lovelace', 'false'],
        ['Babbage', 'true'],
      ]),
    );

    await ingest(org, `Id\n${id}\n`, { operation: 'delete' });
    expect(await column(org, `SELECT Id FROM Contact WHERE Id = '${id}'`)).toEqual([]);
  });

  it.each([
    ['Id,Nope__c\n', 'InvalidBatch : Field name not found : Nope__c'],
    ['', 'InvalidBatch : Records not found for this job'],
    [
      'Id,Title\r\n',
      'ClientInputError : LineEnding is invalid on user data. Current LineEnding setting is LF',
    ],
  ])('fails a job as a whole whose upload cannot be read: %j', async (csv, errorMessage) => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const job = await ingest(org, csv);
    expect(job).toMatchObject({ state: 'Failed', errorMessage, numberRecordsProcessed: 0 });
    const { body } = await ask(org, 'GET', `/jobs/ingest/${job.id}/unprocessedrecords`);
    expect(body).toBe(csv);
  });

  it('fails a job that names a field which the user must not see', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [id] = await contactIds(org, 1);
    await control(org, 'PUT', '/field-access', {
      type: 'Contact',
      field: 'Title',
      access: 'hidden',
    });
    const { errorMessage } = await ingest(org, `Id,Title\n${id},Mayor\n`);
    expect(errorMessage).toBe('InvalidBatch : Field name not found : Title');
  });

  it('refuses the records of a field that the user may only read', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [id] = await contactIds(org, 1);
    const field = { type: 'Contact', field: 'Title', access: 'readOnly' };
    await control(org, 'PUT', '/field-access', field);
    const job = await ingest(org, `Id,Title\n${id},Mayor\n`);
    const [, [sfId, error] = []] = await resultsOf(org, job, 'failedResults');
    expect(sfId).toBe(id);
    expect(error).toMatch(/^INVALID_FIELD_FOR_INSERT_UPDATE:.*:Title --$/);
  });

  it('takes back a record that a rule refuses once it is written, and keeps the others', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const ids = await contactIds(org, 5);
    await control(org, 'POST', '/rules', {
      kind: 'validation',
      type: 'Contact',
      when: "Title = 'Mayor'",
      message: 'No mayors here.',
    });
    const rows = ids.map((id, place) => `${id},${place === 2 ? 'Mayor' : 'Baker'}\n`);
    const job = await ingest(org, `Id,Title\n${rows.join('')}`);
    const [, ...failed] = await resultsOf(org, job, 'failedResults');
    expect(failed).toEqual([
      [ids[2], 'FIELD_CUSTOM_VALIDATION_EXCEPTION:No mayors here.:--', ids[2], 'Mayor'],
    ]);
    const bakers = await column(org, "SELECT Id FROM Contact WHERE Title = 'Baker' ORDER BY Id");
    expect(bakers).toEqual(ids.filter((_, place) => place !== 2));
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'Mayor'")).toEqual([]);
  });

  it('refuses the second of two records that must differ, and leaves nothing of it', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [contactId] = await contactIds(org, 1);
    const campaignId = await edit(org, {
      action: 'create',
      type: 'Campaign',
      values: { Name: 'Gala' },
    });
    const row = `${campaignId},${contactId}\n`;
    const order = { object: 'CampaignMember', operation: 'insert' };
    const job = await ingest(org, `CampaignId,ContactId\n${row}${row}`, order);
    expect(job).toMatchObject({ numberRecordsProcessed: 2, numberRecordsFailed: 1 });
    const [, [, error] = []] = await resultsOf(org, job, 'failedResults');
    expect(error).toMatch(/^DUPLICATE_VALUE:/);
    const soql = `SELECT Id FROM CampaignMember WHERE CampaignId = '${campaignId}'`;
    expect((await query(org, soql)).totalSize).toBe(1);
  });

  it('deletes a record once, also where the upload names it twice', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [id] = await contactIds(org, 1);
    const job = await ingest(org, `Id\n${id}\n${id}\n`, { operation: 'delete' });
    expect(await resultsOf(org, job, 'failedResults')).toEqual([
      ['sf__Id', 'sf__Error', 'Id'],
      [id, 'ENTITY_IS_DELETED:entity is deleted:--', id],
    ]);
  });

  it('is struck by the locks of the request that completes the upload', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const ids = await contactIds(org, 5);
    const on = { method: 'PATCH', path: '/jobs/ingest/*' };
    await control(org, 'PUT', '/faults', [{ on, fault: { kind: 'lockRows', records: 2 } }]);
    const job = await ingest(org, `Id,Title\n${ids.map((id) => `${id},Mayor\n`).join('')}`);
    const [, ...failed] = await resultsOf(org, job, 'failedResults');
    expect(failed.map(([, error]) => error?.split(':')[0])).toEqual([
      'UNABLE_TO_LOCK_ROW',
      'UNABLE_TO_LOCK_ROW',
    ]);
    expect(job.numberRecordsProcessed).toBe(5);
  });

  it('gives results in another order than that of the upload', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0, random: () => 0 });
    const ids = await contactIds(org, 5);
    const job = await ingest(org, `Id,Title\n${ids.map((id) => `${id},Mayor\n`).join('')}`);
    const { body } = await ask(org, 'GET', `/jobs/ingest/${job.id}/successfulResults`);
    const written = String(body).match(/(?<=^")003\w{15}/gm) ?? [];
    expect(written).not.toEqual(ids);
    expect(written.toSorted()).toEqual(ids);
  });

  it('takes one upload while it is open, and none afterwards', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const job = await openIngest(org);
    expect(job).toMatchObject({
      state: 'Open',
      contentUrl: `services/data/v67.0/jobs/ingest/${job.id}/batches`,
    });
    expect((await upload(org, job, 'Id,Title\n')).status).toBe(201);
    expect(refusalOf(await upload(org, job, 'Id,Title\n'))).toContain('Found multiple contents');
    await setState(org, job, 'UploadComplete');
    expect(refusalOf(await upload(org, job, 'Id,Title\n'))).toContain('400 INVALIDJOBSTATE');
    expect(refusalOf(await setState(org, job, 'UploadComplete'))).toContain('400 INVALIDJOBSTATE');
  });

  it('waits, works and is complete as its time goes by, and has no results before', async () => {
    const clock = aClock();
    const org = await startOrg({ clock: clock.read, bulkJobTimeMs: 100 });
    const [id] = await contactIds(org, 1);
    const job = await openIngest(org);
    await upload(org, job, `Id,Title\n${id},Mayor\n`);
    await setState(org, job, 'UploadComplete');
    expect((await lookAt(org, job.id)).state).toBe('UploadComplete');
    clock.advance(50);
    expect((await lookAt(org, job.id)).state).toBe('InProgress');
    const early = await ask(org, 'GET', `/jobs/ingest/${job.id}/successfulResults`);
    expect(refusalOf(early)).toContain('400 INVALIDJOBSTATE');
    clock.advance(50);
    expect((await ended(org, job)).state).toBe('JobComplete');
  });

  it('writes nothing of a job that is aborted before its upload is complete', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const [id] = await contactIds(org, 1);
    const job = await openIngest(org);
    await upload(org, job, `Id,Title\n${id},Mayor\n`);
    expect((await setState(org, job, 'Aborted')).body).toMatchObject({ state: 'Aborted' });
    expect(refusalOf(await setState(org, job, 'UploadComplete'))).toContain('INVALIDJOBSTATE');
    expect(await column(org, "SELECT Id FROM Contact WHERE Title = 'Mayor'")).toEqual([]);
    expect(await resultsOf(org, job, 'unprocessedrecords')).toEqual([
      ['Id', 'Title'],
      [id, 'Mayor'],
    ]);
  });

  it('accounts for every record of a job that is aborted while it works', async () => {
    const org = await startOrg({ bulkJobTimeMs: 1000, clock: () => 0 });
    const job = await openIngest(org, { operation: 'insert' });
    const names = Array.from({ length: 20_000 }, (_, number) => `Person ${number}`);
    await upload(org, job, `LastName\n${names.join('\n')}\n`);
    await setState(org, job, 'UploadComplete');
    await setState(org, job, 'Aborted');
    const [, ...written] = await resultsOf(org, job, 'successfulResults');
    const [, ...left] = await resultsOf(org, job, 'unprocessedrecords');
    expect([...written.map((row) => row[2]), ...left.map((row) => row[0])].toSorted()).toEqual(
      names.toSorted(),
    );
    expect(left.length).toBeGreaterThan(0);
    const soql = "SELECT Id FROM Contact WHERE LastName LIKE 'Person %'";
    expect((await query(org, soql)).totalSize).toBe(written.length);
  });

  it('lets the sandbox end while a job works', async () => {
    const errors: Error[] = [];
    const org = await startSalesforceSandbox({
      contacts: 1,
      donors: 10,
      report: (error) => errors.push(error),
    });
    const job = await openIngest(org, { operation: 'insert' });
    await upload(org, job, `LastName\n${'Lastname\n'.repeat(20_000)}`);
    await setState(org, job, 'UploadComplete');
    const { state } = await lookAt(org, job.id);
    await org.close();
    await letOthersRun();
    expect(state).not.toBe('JobComplete');
    expect(errors).toEqual([]);
  });

  it.each([
    [{ object: 'Nothing__c' }, '400 INVALIDENTITY'],
    [{ object: 'Report', operation: 'insert' }, '400 INVALIDENTITY'],
    [{ operation: 'upsert' }, '400 INVALIDJOB'],
    [{ operation: 'upsert', externalIdFieldName: 'LastName' }, '400 INVALIDJOB'],
    [{ operation: 'rename' }, '400 JSON_PARSER_ERROR'],
  ])('refuses a job of %j', async (order, refusal) => {
    const org = await startOrg();
    const body = { object: 'Contact', operation: 'update', ...order };
    expect(refusalOf(await ask(org, 'POST', '/jobs/ingest', { body }))).toContain(refusal);
  });

  it('lists jobs and forgets those that are deleted', async () => {
    const org = await startOrg({ bulkJobTimeMs: 0 });
    const open = await openIngest(org);
    expect(refusalOf(await ask(org, 'DELETE', `/jobs/ingest/${open.id}`))).toContain(
      'INVALIDJOBSTATE',
    );
    const [id] = await contactIds(org, 1);
    const done = await ingest(org, `Id\n${id}\n`);
    expect((await ask(org, 'DELETE', `/jobs/ingest/${done.id}`)).status).toBe(204);
    const { body } = await ask(org, 'GET', '/jobs/ingest');
    const list = z.object({ records: z.array(z.object({ id: z.string() })) });
    expect(list.parse(body).records.map((job) => job.id)).toEqual([open.id]);
  });
});
