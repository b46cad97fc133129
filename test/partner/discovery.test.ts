import { describe, expect, it } from 'vitest';
import { aClient, aPerson, rejectionOf } from './test-client.ts';
import { json, startService, startTestService } from './test-service.ts';

const JOB = 'a'.repeat(32);

/**
 * An API description with an unusual form. Every path contains the base path, and the body's field has a different
 * name.
 */
const FORM_A = {
  openapi: '3.1.0',
  paths: {
    '/v1/partners': { put: {}, post: body({ properties: { job_ids: { type: 'array' } } }) },
    '/v1/partners/progress/{job}': { parameters: [], get: {} },
    '/v1/partners/progress/': { post: body({ $ref: '#/components/schemas/Ids' }) },
    '/v1/partners/credits': { get: {} },
    '/v1/partners/networks': { post: body({ $ref: '#/components/schemas/NewNetwork' }) },
  },
  components: {
    schemas: {
      Ids: { type: 'object', properties: { ids: { type: 'array', items: { type: 'string' } } } },
      NewNetwork: {
        type: 'object',
        properties: { name: { type: 'string' }, color: { $ref: '#/components/schemas/Color' } },
      },
      Color: { type: 'string', enum: ['teal', 'plum'] },
    },
  },
};

describe('discover', () => {
  it('learns paths, body names and colours, and says so', async () => {
    const { baseUrl } = await startService(json(FORM_A));
    expect(await aClient(baseUrl).discover()).toEqual({
      published: true,
      colors: ['teal', 'plum'],
      rateLimit: null,
      findings: [
        {
          subject: 'submit persons',
          value: 'PUT /, the list under "persons" (assumed)',
          source: 'published',
        },
        { subject: 'progress of one job', value: 'GET /progress/{id}', source: 'published' },
        {
          subject: 'progress of many jobs',
          value: 'POST /progress/, the list under "ids"',
          source: 'published',
        },
        {
          subject: 'results of jobs',
          value: 'POST /, the list under "job_ids"',
          source: 'published',
        },
        { subject: 'credit balances', value: 'GET /credits', source: 'published' },
        { subject: 'list of networks', value: 'GET /networks', source: 'assumed' },
        { subject: 'create a network', value: 'POST /networks', source: 'published' },
        { subject: 'rename a network', value: 'PUT /networks/{id}', source: 'assumed' },
        {
          subject: 'add members',
          value: 'POST /networks/{id}/members/batch, the list under "donor_ids"',
          source: 'assumed',
        },
        { subject: 'progress of a bulk add', value: 'GET /networks/jobs/{id}', source: 'assumed' },
        {
          subject: 'remove members',
          value: 'POST /networks/{id}/members/remove, the list under "donor_ids"',
          source: 'assumed',
        },
        { subject: 'discover prospects', value: 'POST /networks/discover', source: 'assumed' },
        {
          subject: 'compare prospects',
          value: 'POST /networks/connections, the list under "donor_ids"',
          source: 'assumed',
        },
        {
          subject: 'connections of a donor',
          value: 'GET /networks/donors/{id}/connections',
          source: 'assumed',
        },
        { subject: 'look up connections', value: 'POST /networks/lookup', source: 'assumed' },
      ],
    });
  });

  it('goes straight to what it has learnt', async () => {
    const { baseUrl, received } = await startTestService(({ path }) => {
      if (path === '/openapi.json') return Response.json(FORM_A);
      if (path === '/progress/') return Response.json({ job_id_to_state: {}, not_found: [JOB] });
      return Response.json({ tracking_id_to_job_id: { 'tracking-1': JOB } }, { status: 202 });
    });
    const client = aClient(baseUrl);
    await client.discover();
    await client.submitEnhancements([aPerson()]);
    await client.readProgress([JOB]);
    expect(received.slice(1)).toMatchObject([
      { method: 'PUT', path: '' },
      { method: 'POST', path: '/progress/', body: { ids: [JOB] } },
    ]);
  });

  it('prefers the form under /enhancements where both are listed', async () => {
    const paths = { ...FORM_A.paths, '/enhancements': { post: {} } };
    const { baseUrl } = await startService(json({ ...FORM_A, paths }));
    const { findings } = await aClient(baseUrl).discover();
    expect(findings[0]?.value).toBe('POST /enhancements, the list under "persons" (assumed)');
  });

  it('takes jobs for vanished on 404 at a path that the service lists', async () => {
    const { baseUrl } = await startService(json(FORM_A), json({ detail: 'Job not found' }, 404));
    const client = aClient(baseUrl);
    await client.discover();
    expect(await client.readJobProgress(JOB)).toEqual({ state: 'vanished' });
  });

  it.each([
    ['absent', json({ detail: 'Not Found' }, 404)],
    ['no JSON', () => new Response('<html>')],
    ['something else', json({ swagger: '2.0' })],
    ['empty', json({ paths: {} })],
    ['a failure in plain text', () => new Response('Internal Server Error', { status: 500 })],
    ['at another address', () => Response.redirect('https://docs.example/openapi.json')],
  ])('falls back and says so where openapi.json is %s', async (_, answer) => {
    const { baseUrl } = await startService(answer);
    const { findings, colors } = await aClient(baseUrl).discover();
    expect(findings.every(({ source }) => source === 'assumed')).toBe(true);
    expect(findings[0]?.value).toBe('POST /enhancements, the list under "persons"');
    expect(colors).toBeNull();
  });

  it('survives schemas that refer to each other in a circle', async () => {
    const schemas = {
      Ids: { $ref: '#/components/schemas/Others' },
      Others: { $ref: '#/components/schemas/Ids' },
    };
    const { baseUrl } = await startService(json({ ...FORM_A, components: { schemas } }));
    const { findings } = await aClient(baseUrl).discover();
    expect(findings[2]?.value).toBe('POST /progress/, a bare list (assumed)');
  });

  it('rejects when the service is down, so that it is asked again', async () => {
    const { baseUrl } = await startService(() => new Response('Bad gateway', { status: 502 }));
    expect(await rejectionOf(aClient(baseUrl).discover())).toMatchObject({
      code: 'partner_unavailable',
    });
  });

  it('rejects when the key is the matter', async () => {
    const { baseUrl } = await startService(json({ message: 'Forbidden' }, 403));
    expect(await rejectionOf(aClient(baseUrl).discover())).toMatchObject({
      code: 'partner_key_rejected',
    });
  });
});

function body(schema: unknown) {
  return { requestBody: { content: { 'application/json': { schema } } } };
}
