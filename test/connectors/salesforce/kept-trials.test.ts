import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ContactChange, WriteResult } from '../../../connectors/contract.ts';
import { toArray } from '../connector-options.ts';
import {
  type Answer,
  openScriptedSalesforce,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

const bodySchema = z.object({
  allOrNone: z.literal(true),
  compositeRequest: z
    .array(
      z.object({
        method: z.literal('PATCH'),
        url: z.string(),
        referenceId: z.string(),
        body: z.record(z.string(), z.unknown()),
      }),
    )
    .length(2),
});

const RULE = { errorCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'No.', fields: [] };
const HALTED = { errorCode: 'PROCESSING_HALTED', message: 'Rolled back.' };
const GONE = { errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' };

const IDS = ['003000000000001AAA', '003000000000002AAA', '003000000000003AAA'];
const VALUES = { A__c: 'a', B__c: 'b', C__c: 'c', D__c: 'd' };

/**
 * The tuple contains the status and body of the trial, and then the status and body of the update. The update cannot
 * succeed.
 */
type Parts = readonly [number, unknown, number, unknown];

describe('an update of Salesforce that is only tried', () => {
  let crm: ScriptedSalesforce;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    crm.script(({ method, path, body }) => {
      if (method !== 'PATCH' || path !== '/composite/sobjects') return null;
      const { records } = z
        .object({ records: z.array(z.looseObject({ id: z.string() })) })
        .parse(JSON.parse(body));
      return {
        body: records.map((record) =>
          'C__c' in record
            ? {
                success: false,
                errors: [{ statusCode: RULE.errorCode, message: 'No.', fields: [] }],
              }
            : { id: record.id, success: true, errors: [] },
        ),
      };
    });
  });

  afterEach(() => crm.close());

  it('comes with one that cannot succeed, and finds the field', async () => {
    answer((fields) => (fields.includes('C__c') ? [400, [RULE], 400, [HALTED]] : rolledBack()));
    const results = await write(IDS.map((id) => ({ id, values: VALUES })));
    expect(results).toHaveLength(3);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'written_in_part', refusals: [{ fields: ['C__c'] }] });
    }
    const tried = trials();
    expect(tried.length).toBeLessThanOrEqual(4);
    for (const { compositeRequest } of tried) {
      const [trial, impossible] = compositeRequest;
      expect(trial?.url).toBe(`/services/data/v67.0/sobjects/Contact/${IDS[0]}`);
      expect(impossible?.url).toBe('/services/data/v67.0/sobjects/Contact/003000000000000AAA');
    }
  });

  it.each<[string, Parts, string]>([
    ['both are written', [204, null, 204, null], 'written_in_part'],
    ['the trial is written all the same', [204, null, 404, [GONE]], 'written_in_part'],
    ['the second one is written', [400, [RULE], 204, null], 'refused'],
    ['the second one is tried after a refusal', [400, [RULE], 404, [GONE]], 'refused'],
  ])('ends all trials of the run if %s', async (_, parts, status) => {
    answer(() => parts);
    const results = await write(IDS.map((id) => ({ id, values: VALUES })));
    expect(trials()).toHaveLength(1);
    const byId = new Map(results.map((result) => [result.id, result]));
    expect(byId.get(IDS[0] ?? '')).toMatchObject({ status });
    // The first trial contains half of the fields.
    if (status === 'written_in_part') {
      expect(byId.get(IDS[0] ?? '')).toMatchObject({ refusals: [{ fields: ['C__c', 'D__c'] }] });
    }
    for (const id of IDS.slice(1)) expect(byId.get(id)).toMatchObject({ status: 'refused' });
  });

  it.each<[string, Parts]>([
    ['is refused for another reason than a value', [404, [GONE], 400, [HALTED]]],
    ['comes back without a reason', [400, null, 400, [HALTED]]],
  ])('teaches nothing if it %s', async (_, parts) => {
    answer(() => parts);
    const results = await write(IDS.map((id) => ({ id, values: VALUES })));
    expect(results.map(({ status }) => status)).toEqual(['refused', 'refused', 'refused']);
  });

  it('is tried later if the contact is locked', async () => {
    let times = 0;
    const lock = { ...RULE, errorCode: 'UNABLE_TO_LOCK_ROW' };
    crm.script(({ path }) =>
      path.startsWith('/query?') ? { body: { totalSize: 0, done: true, records: [] } } : null,
    );
    answer((fields) => {
      times += 1;
      if (times === 1) return [400, [lock], 400, [HALTED]];
      return fields.includes('C__c') ? [400, [RULE], 400, [HALTED]] : rolledBack();
    });
    const [id = ''] = IDS;
    expect(await write([{ id, values: VALUES }])).toMatchObject([
      { status: 'written_in_part', refusals: [{ fields: ['C__c'] }] },
    ]);
  });

  function rolledBack(): Parts {
    return [400, [HALTED], 404, [GONE]];
  }

  function answer(partsFor: (fields: string[]) => Parts): void {
    crm.script(({ path, body }): Answer | null => {
      if (path !== '/composite') return null;
      const [trial] = bodySchema.parse(JSON.parse(body)).compositeRequest;
      const [status, said, other, otherSaid] = partsFor(Object.keys(trial?.body ?? {}));
      return {
        body: {
          compositeResponse: [
            { referenceId: 'trial', httpStatusCode: status, httpHeaders: {}, body: said },
            { referenceId: 'impossible', httpStatusCode: other, httpHeaders: {}, body: otherSaid },
          ],
        },
      };
    });
  }

  function trials() {
    return crm.asked
      .filter(({ path }) => path === '/composite')
      .map(({ body }) => bodySchema.parse(JSON.parse(body)));
  }

  async function write(changes: ContactChange[]): Promise<WriteResult[]> {
    return toArray((await crm.connector()).write(changes));
  }
});
