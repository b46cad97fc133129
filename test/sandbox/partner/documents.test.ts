import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ask, startPartner } from './partner.ts';

describe('the documents of the service (section 4.4)', () => {
  it('describes every endpoint and schema in openapi.json', async () => {
    const partner = await startPartner();
    const { status, body } = await ask(partner, 'GET', '/openapi.json');
    expect(status).toBe(200);
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(body);
    const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(endpoints.toSorted()).toEqual([
      'get /credits',
      'get /donors/health',
      'get /enhancements/{job_id}/progress',
      'get /progress/{job_id}',
      'get /search/health',
      'get /test',
      'post /',
      'post /enhancements',
      'post /enhancements/progress/batch',
      'post /enhancements/results/batch',
      'post /progress',
      'put /',
    ]);
    expect(body).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/v1/partners' }],
      components: {
        securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
        schemas: {
          EnhancementRequest: { properties: { persons: { maxItems: 100 } } },
          APIDonor: { properties: { net_worth_range: expect.anything() } },
          InsufficientCredits: {
            properties: { bucket: { enum: expect.arrayContaining(['lists']) } },
          },
        },
      },
    });
  });

  it.each(['/docs', '/redoc'])(
    'shows a page at %s that needs nothing from elsewhere',
    async (path) => {
      const partner = await startPartner();
      const response = await fetch(partner.baseUrl + path, {
        headers: { 'x-api-key': partner.apiKey },
      });
      const page = await response.text();
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('text/html');
      expect(page).toContain('POST /enhancements/results/batch');
      expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
    },
  );

  it('shows the page without a key at /_sandbox/docs, for browsers', async () => {
    const partner = await startPartner();
    const response = await fetch(`${partner.rootUrl}/_sandbox/docs`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('POST /enhancements');
  });

  it.each(['/test', '/donors/health', '/search/health'])('answers 200 at %s', async (path) => {
    const partner = await startPartner();
    expect((await ask(partner, 'GET', path)).status).toBe(200);
  });

  it('answers 404 with a detail to unknown paths', async () => {
    const partner = await startPartner();
    const answer = await ask(partner, 'GET', '/nothing/here');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ detail: expect.any(String) });
  });
});
