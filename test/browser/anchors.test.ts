import { expect, it } from 'vitest';
import type { IntegrationView, Overview } from '../../src/http/dashboard/overview.ts';
import { renderStatus } from '../../src/http/dashboard/pages.tsx';

/** Names that the page has itself, and one that begins like another. */
const IDS = ['holds', 'credits', 'main', 'verdict', 'north', 'north-live', 'north-sync'];

function aView(id: string): IntegrationView {
  return {
    id,
    name: id,
    crm: 'CSV file',
    standing: 'new',
    connectHref: null,
    current: null,
    problem: null,
    lastSuccessAt: null,
    schedule: null,
    waiting: 0,
    held: 0,
    runs: [],
  };
}

it('gives each part of the status page a name of its own, whatever integrations are called', async () => {
  const overview: Overview = {
    verdict: { level: 'new', headline: 'Ready', tasks: [] },
    integrations: IDS.map(aView),
    total: IDS.length,
    from: 0,
    credits: [],
    holds: { total: 0, batches: [], shown: [] },
  };
  const principal = { kind: 'token', role: 'admin', name: 'Anna' } as const;
  const page = await renderStatus({ principal, now: 0, version: '0.0.0' }, overview, null);
  const ids = [...page.toString().matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.length).toBeGreaterThan(IDS.length);
  expect(new Set(ids).size).toBe(ids.length);
});
