import { describe, expect, it } from 'vitest';
import { ask, BASE_PATH, column, contactIds, startOrg } from '../org.ts';

describe('composite', () => {
  it('does what is asked in its order only where it is told to', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const query = encodeURIComponent(`SELECT Title FROM Contact WHERE Id = '${id}'`);
    const run = async (Title: string, options: object) => {
      const compositeRequest = [
        { method: 'GET', url: `${BASE_PATH}/query?q=${query}`, referenceId: 'before' },
        {
          method: 'PATCH',
          url: `${BASE_PATH}/composite/sobjects`,
          referenceId: 'write',
          body: { records: [{ attributes: { type: 'Contact' }, id, Title }] },
        },
      ];
      return (await ask(org, 'POST', '/composite', { body: { compositeRequest, ...options } }))
        .body;
    };
    await run('First', {});
    expect(await run('Second', { collateSubrequests: false })).toMatchObject({
      compositeResponse: [
        { referenceId: 'before', body: { records: [{ Title: 'First' }] } },
        { referenceId: 'write', body: [{ id, success: true }] },
      ],
    });
    expect(await run('Third', {})).toMatchObject({
      compositeResponse: [{ referenceId: 'before', body: { records: [{ Title: 'Third' }] } }, {}],
    });
  });

  it('takes five queries and collections, and no more', async () => {
    const org = await startOrg();
    const one = (at: number) => ({
      method: 'GET',
      url: `${BASE_PATH}/query?q=${encodeURIComponent('SELECT Id FROM Contact LIMIT 1')}`,
      referenceId: `query${at}`,
    });
    const run = (count: number) => {
      const compositeRequest = Array.from({ length: count }, (_, at) => one(at));
      return ask(org, 'POST', '/composite', { body: { compositeRequest } });
    };
    expect((await run(5)).status).toBe(200);
    expect(await run(6)).toMatchObject({ status: 400, body: [{ errorCode: 'LIMIT_EXCEEDED' }] });
  });
});

describe('composite/batch', () => {
  it('does each request by itself, and halts after an error if it is to', async () => {
    const org = await startOrg();
    const [id = ''] = await contactIds(org, 1);
    const batchRequests = [
      { method: 'PATCH', url: `v67.0/sobjects/Contact/${id}`, richInput: { Title: 'Batch' } },
      { method: 'GET', url: 'v67.0/sobjects/Foo/describe' },
      { method: 'GET', url: `v67.0/sobjects/Contact/${id}?fields=Title` },
    ];
    const run = (haltOnError: boolean) =>
      ask(org, 'POST', '/composite/batch', { body: { haltOnError, batchRequests } });
    expect((await run(false)).body).toMatchObject({
      hasErrors: true,
      results: [
        { statusCode: 204, result: null },
        { statusCode: 404, result: [{ errorCode: 'NOT_FOUND' }] },
        { statusCode: 200, result: { Title: 'Batch' } },
      ],
    });
    expect((await run(true)).body).toMatchObject({
      results: [{}, {}, { statusCode: 412, result: [{ errorCode: 'BATCH_PROCESSING_HALTED' }] }],
    });
  });
});

describe('composite/graph', () => {
  it('keeps each graph whole or not at all', async () => {
    const org = await startOrg();
    const [one = '', two = ''] = await contactIds(org, 2);
    const change = (id: string, Title: string) => ({
      method: 'PATCH',
      url: `${BASE_PATH}/sobjects/Contact/${id}`,
      referenceId: `ref${Title}`,
      body: { Title },
    });
    const body = {
      graphs: [
        { graphId: '1', compositeRequest: [change(one, 'A')] },
        {
          graphId: '2',
          compositeRequest: [change(two, 'B'), change('003000000000000AAA', 'C')],
        },
      ],
    };
    const answer = await ask(org, 'POST', '/composite/graph', { body });
    expect(answer.body).toMatchObject({
      graphs: [
        { graphId: '1', isSuccessful: true },
        {
          graphId: '2',
          isSuccessful: false,
          graphResponse: { compositeResponse: [{ httpStatusCode: 400 }, { httpStatusCode: 404 }] },
        },
      ],
    });
    const soql = `SELECT Title FROM Contact WHERE Title IN ('A', 'B', 'C')`;
    expect(await column(org, soql, 'Title')).toEqual(['A']);
  });
});

describe('limits/recordCount', () => {
  it('counts the records of objects', async () => {
    const org = await startOrg();
    const { body } = await ask(org, 'GET', '/limits/recordCount?sObjects=Contact,Foo');
    expect(body).toEqual({ sObjects: [{ count: 20, name: 'Contact' }] });
    const all = await ask(org, 'GET', '/limits/recordCount');
    expect(JSON.stringify(all.body)).toContain('"name":"Campaign"');
  });
});
