import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

/** The unpacked response has this size. gzip reduces the response to a thousandth of the size. */
const FLOOD = { kind: 'flood', megabytes: 300 };

const TOO_LARGE = { kind: 'retriable', code: 'crm_reply_too_large' };

describe('a Salesforce that answers with floods', () => {
  let org: Org;
  let connector: Connector;

  beforeEach(async () => {
    org = await openOrg();
  });
  afterEach(async () => {
    await connector?.close();
    await org.close();
  });

  async function flood(path: string): Promise<void> {
    await org.control('PUT', 'faults', [{ on: { path }, fault: FLOOD }]);
  }

  it('is read to 32 MB after unpacking and no further, and not asked again', async () => {
    await flood('*/sobjects/Contact/describe');
    const error = await org.connector({ bulkThreshold: 1 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      ...TOO_LARGE,
      message: expect.stringContaining('more than 32 MB'),
    });
    const asked = (await org.requests()).filter(({ path }) => path.endsWith('/describe'));
    expect(asked).toHaveLength(1);
  });

  it('does not sign in by one', async () => {
    await flood('*/oauth2/token');
    await expect(org.connector({ bulkThreshold: 1 })).rejects.toMatchObject(TOO_LARGE);
  });

  it('may not hide one in a refusal', async () => {
    connector = await org.connector({ bulkThreshold: 1 });
    await flood('*/jobs/ingest');
    await expect(write()).rejects.toMatchObject(TOO_LARGE);
  });

  it('may send results of any length in bulk, and no row without an end', async () => {
    connector = await org.connector({ bulkThreshold: 1 });
    await flood('*/failedResults*');
    await expect(write()).rejects.toMatchObject({
      ...TOO_LARGE,
      message: expect.stringContaining('a row of results'),
    });
  });

  /** Sends a change for a missing contact through the Bulk API. */
  function write() {
    return toArray(connector.write([{ id: '003000000000001AAA', values: { Title: 'x' } }]));
  }
});
