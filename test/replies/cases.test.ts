/**
 * Checks that every route and every command has a recorded case. Add a case for a new route or command, so that its
 * responses can be compared.
 */
import { describe, expect, it } from 'vitest';
import { ROUTES } from '../interfaces/api/route-table.ts';
import { API_CASES } from './api-requests.ts';
import { COMMAND_CASES, hasHelpAlone, listCommandNames } from './commands.ts';
import { PAGE_CASES } from './page-requests.ts';
import { type CaseTable, compareNames, routeNames } from './requests.ts';

const inCases = [...Object.keys(API_CASES), ...Object.keys(PAGE_CASES)];

describe('the recorded requests', () => {
  // `routes.test.ts` compares that table with the app's routes.
  it('are about every route, and about no other', () => {
    expect(compareNames(Object.keys(ROUTES), inCases)).toEqual({ without: [], unknown: [] });
    expect(new Set(inCases).size).toBe(inCases.length);
  });

  it('name a route that has no case, and a case that has no route', () => {
    const registered = [
      { method: 'ALL', path: '/*' },
      { method: 'GET', path: '/v1/runs' },
      { method: 'GET', path: '/v1/runs' },
      { method: 'GET', path: '/v1/weather' },
    ];
    expect(compareNames(routeNames(registered), ['GET /v1/runs', 'GET /v1/tides'])).toEqual({
      without: ['GET /v1/weather'],
      unknown: ['GET /v1/tides'],
    });
  });

  it.each([
    ['API', API_CASES],
    ['pages', PAGE_CASES],
  ])('of the %s have a path that fits their route', (_, table: CaseTable) => {
    const strays = Object.entries(table).flatMap(([route, cases]) => {
      const pattern = route.split(' ')[1] ?? '';
      const fits = new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}(\\?|$)`);
      return Object.entries(cases)
        .filter(([, { path }]) => !fits.test(path))
        .map(([name]) => `${route}: ${name}`);
    });
    expect(strays).toEqual([]);
  });

  it('have an unknown id for every route with an id, apart from those that answer alike, and from months', () => {
    const without = Object.entries({ ...API_CASES, ...PAGE_CASES })
      .filter(([route, cases]) => route.includes('/:') && !('unknown' in cases))
      .map(([route]) => route);
    expect(without).toEqual([
      'GET /v1/credits/reconciliations/:month',
      'GET /oauth/:kind/callback',
      'GET /first-visit/:secret',
      'POST /first-visit/:secret',
      'POST /account/passkeys/:id/remove',
      'POST /account/sessions/:id/end',
      'POST /decisions/answers/:answer/withdraw',
    ]);
  });
});

describe('the recorded commands', () => {
  it('are all that the program has, and no other', async () => {
    const names = await listCommandNames();
    const own = names.filter((name) => !hasHelpAlone(name));
    expect(compareNames(own, Object.keys(COMMAND_CASES))).toEqual({ without: [], unknown: [] });
    expect(own).toContain('users passkeys remove');
  });

  it('leave out none but those that serve, or are about other databases and products', async () => {
    const names = await listCommandNames();
    const left = names.filter((name) => hasHelpAlone(name) && !name.includes(' '));
    expect(left.sort()).toEqual([
      ...['backup', 'demo', 'migrate', 'move', 'restore', 'sandbox', 'serve', 'service', 'worker'],
    ]);
  });
});
