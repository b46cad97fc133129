import { describe, expect, it } from 'vitest';
import { ask, startPartner } from './partner.ts';

describe('the documents of the service (section 4.4)', () => {
  it('describes its schemas in openapi.json', async () => {
    const partner = await startPartner();
    const { status, body } = await ask(partner, 'GET', '/openapi.json');
    expect(status).toBe(200);
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

  it('answers 200 at /test', async () => {
    const partner = await startPartner();
    expect((await ask(partner, 'GET', '/test')).status).toBe(200);
  });

  it('answers 404 with a detail to unknown paths', async () => {
    const partner = await startPartner();
    const answer = await ask(partner, 'GET', '/nothing/here');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ detail: expect.any(String) });
  });
});
