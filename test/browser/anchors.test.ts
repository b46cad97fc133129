import { expect, it } from 'vitest';
import type { ClientView } from '../../src/clients/views/clients.ts';
import { renderHome } from '../../src/interfaces/pages/home/home-pages.tsx';
import type { HomeView } from '../../src/interfaces/pages/home/home-view.ts';

/** Anchor names that the page itself uses, and a name that begins with such a name. */
const IDS = ['holds', 'credits', 'main', 'verdict', 'clients', 'chip', 'north', 'north-actions'];

function aClient(id: string): ClientView {
  return {
    id,
    name: id,
    crm: 'csv',
    standing: 'new',
    problem: null,
    run: null,
    decisions: 0,
    paused: false,
    lastSuccessAt: null,
    schedule: { cron: '0 2 * * *', timezone: 'UTC', nextRunAt: null, paused: false },
    month: { spent: 0, budget: null },
    nights: [],
  };
}

it('gives each part of the home a name of its own, whatever integrations are called', async () => {
  const home: HomeView = {
    verdict: { level: 'new', headline: 'Ready', tasks: [] },
    total: IDS.length,
    counts: { all: IDS.length, needs: 0, stopped: 0, syncing: 0, paused: 0 },
    crms: ['csv'],
    decisions: 0,
    query: { show: 'all', crm: '', q: '', sort: 'set-up', from: 0 },
    found: IDS.length,
    rows: IDS.map(aClient),
  };
  const principal = {
    kind: 'token',
    role: 'admin',
    name: 'Anna',
    integrations: null,
    personId: null,
    isProven: true,
    browser: null,
    sessionId: null,
    tokenId: null,
  } as const;
  const clients = IDS.map((id) => ({ id, name: id }));
  const overview = {
    summary: { level: 'new', text: 'New' },
    total: IDS.length,
    needs: 0,
    clients,
  } as const;
  const viewer = { principal, now: 0, version: '0.0.0', overview };
  const page = await renderHome(viewer, home, null);
  const ids = [...page.toString().matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.length).toBeGreaterThan(IDS.length);
  expect(new Set(ids).size).toBe(ids.length);
});
