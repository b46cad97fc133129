import { describe, expect, it } from 'vitest';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import { listRunRequests } from '../../src/sync/statements/run-requests.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { type HttpWorld, openHttpWorld } from '../interfaces/api/http-world.ts';

const open = closedAfterTest(openHttpWorld);

/** Returns the headers that a browser adds when one of our pages sends a request. */
function fromOurPage({ url }: HttpWorld): Record<string, string> {
  return { origin: url, 'content-type': 'application/x-www-form-urlencoded' };
}

/** Returns the redirect target and the cookie. */
async function signIn(here: HttpWorld, token: string, to = '/') {
  const response = await fetch(`${here.url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: fromOurPage(here),
    body: new URLSearchParams({ token, to }).toString(),
  });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { status: response.status, location: response.headers.get('location'), cookie };
}

/** Sends the form that a button on one of our pages sends. */
async function press(here: HttpWorld, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(here.url + path, {
    ...{ method: 'POST', redirect: 'manual', headers: { ...fromOurPage(here), ...headers } },
  });
  const { status } = response;
  return { status, location: response.headers.get('location'), text: await response.text() };
}

describe('the home page without clients', () => {
  it('sends users who cannot set up a client to an admin, and nobody to a terminal', async () => {
    const here = await open();
    const token = await here.addToken('reader', ['elsewhere']);
    const { text } = await here.request('/', { token });
    expect(text).toContain('An admin can set up a client');
    expect(text).not.toContain('Set up your first client');
    expect(text).not.toContain('donor-sync init');
  });
});

describe('the search for pages', () => {
  it('offers each role only the pages that it may open', async () => {
    const here = await open({ isIdle: true });
    for (const [role, closed] of [
      ['viewer', ['Introductions', 'Set-up', 'Users', 'Audit']],
      ['reader', ['Set-up', 'Users', 'Audit']],
      ['admin', ['Users']],
      ['owner', []],
    ] as const) {
      const token = await here.addToken(role);
      const { text } = await here.request('/v1/find?q=', { token });
      for (const name of ['Introductions', 'Set-up', 'Users', 'Audit', 'Results']) {
        const isClosed = closed.some((each) => each === name);
        expect(text.includes(`"label":"${name}"`), `${name} for ${role}`).toBe(!isClosed);
      }
    }
  });
});

describe('signing in', () => {
  it('leads back to the requested run, and never to another site', async () => {
    const here = await open();
    const token = await here.addToken('viewer');
    const asked = await fetch(`${here.url}/runs/some-run`, { redirect: 'manual' });
    expect(asked.headers.get('location')).toBe('/sign-in?to=%2Fruns%2Fsome-run');
    expect(await signIn(here, token, '/runs/some-run')).toMatchObject({
      status: 303,
      location: '/runs/some-run',
    });
    for (const to of ['https://elsewhere.example', '//elsewhere.example', '/\\elsewhere', '']) {
      expect((await signIn(here, token, to)).location, to).toBe('/');
    }
  });

  it('is refused from the page of another site', async () => {
    const here = await open();
    const token = await here.addToken('viewer');
    const headers = { origin: 'https://elsewhere.example' };
    const answer = await here.request('/sign-in', {
      method: 'POST',
      headers,
      body: `token=${token}`,
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('the buttons', () => {
  it('start a sync for an admin, and refuse a viewer', async () => {
    const here = await open({ isIdle: true });
    const path = '/integrations/riverside/sync';
    const viewer = await signIn(here, await here.addToken('viewer'));
    const refused = await press(here, path, { cookie: viewer.cookie });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('needs the role admin');
    expect((await press(here, path)).status).toBe(401);
    expect(await listRunRequests(here.application.store.reader)).toEqual([]);

    const { cookie } = await signIn(here, await here.addToken('admin'));
    const started = await press(here, path, { cookie });
    expect(started).toMatchObject({ status: 303, location: '/clients/riverside?note=sync' });
    expect(await listRunRequests(here.application.store.reader)).toHaveLength(1);
    const joined = await press(here, `${path}?back=home`, { cookie });
    expect(joined.location).toBe('/?note=joined#integration_riverside');
    const page = await here.request('/', { headers: { cookie } });
    expect(page.text).toContain('About to sync');
  });

  it('refuse a click from the page of another site, even with a session', async () => {
    const here = await open({ isIdle: true });
    const { cookie } = await signIn(here, await here.addToken('admin'));
    const origin = 'https://elsewhere.example';
    for (const path of ['/integrations/riverside/sync', '/decisions/some/approve', '/sign-out']) {
      expect((await press(here, path, { cookie, origin })).status, path).toBe(403);
    }
    expect(await listRunRequests(here.application.store.reader)).toEqual([]);
  });

  it('take each decision that makes sense, once', async () => {
    const here = await open();
    await here.addPeople(2);
    await here.putFaults([{ on: { method: 'POST' }, times: 1, fault: { kind: 'resetAfter' } }]);
    const { runId } = await here.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await here.untilEnded(runId);
    const [hold] = await listOpenQuestions(here.application.store.reader);
    // The response was lost, so the decision has no profile to approve.
    const refused = await press(here, `/decisions/${hold?.id}/approve`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('no profile to approve');
    const decided = await press(here, `/decisions/${hold?.id}/resubmit`);
    expect(decided.status).toBe(303);
    expect(decided.location).toMatch(/^\/decisions\/[^?]+\?undo=./);
    const again = await press(here, `/decisions/${hold?.id}/reject`);
    expect(again.location).toContain('note=decided');
    expect((await press(here, '/decisions/none/reject')).status).toBe(404);
  });
});

describe('the pages', () => {
  it('tell what cannot be shown as a page, with the status that programs know', async () => {
    const here = await open();
    const missing = await here.request('/runs/none');
    expect(missing.status).toBe(404);
    expect(missing.headers.get('content-type')).toContain('text/html');
    expect(missing.text).toContain('There is no run &quot;none&quot;.');
    const unknown = await press(here, '/integrations/unknown/sync');
    expect(unknown.status).toBe(404);
  });

  it('say nothing that only an address says', async () => {
    const here = await open();
    const odd = '/?note=%3Cb%3EYour+key+has+expired%3C/b%3E&from=many';
    const { status, text } = await here.request(odd);
    expect(status).toBe(200);
    expect(text).not.toContain('Your key has expired');
    expect(text).toContain('Riverside Food Bank');
  });

  it('load all assets from this server, and contain no inline scripts or styles', async () => {
    const here = await open();
    const { headers, text } = await here.request('/');
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<style|<script>| style=| on\w+=/);
    const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(new Set(paths).size).toBe(6);
    for (const path of paths) {
      const asset = await here.request(path ?? '');
      expect(asset.status).toBe(200);
      expect(asset.headers.get('cache-control')).toContain('immutable');
    }
  });

  it('call a person where the partner key is not accepted, and say what to do', async () => {
    const here = await open({ apiKey: 'unknown-to-the-service' });
    await here.addPeople(1);
    const { runId } = await here.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await here.untilEnded(runId);
    const home = (await here.request('/')).text.replace(/<svg.*?<\/svg>/gs, '');
    expect(home).toContain('status-attention">Needs attention');
    expect(home).toContain('1 needs you');
    const client = await here.request('/clients/riverside');
    const status = client.text.replace(/<svg.*?<\/svg>/gs, '');
    expect(status).toContain('status-attention">Needs attention');
    expect(status).toContain('status-attention">Stopped early');
    const [, credits = ''] = status.split('id="credits"');
    expect(credits).toContain('The service does not accept this key.');
    expect(credits).toContain(
      'Put a valid service key into the settings (partner.apiKey) and start donor-sync again.',
    );
    const run = (await here.request(`/runs/${runId}`)).text.replace(/<svg.*?<\/svg>/gs, '');
    expect(run).toContain('status-attention">Stopped early');
  });

  it('contain the IDs of contacts, but not their names', async () => {
    const here = await open();
    const ids = await here.addPeople(3);
    const { runId } = await here.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await here.untilEnded(runId);
    const pages = await Promise.all(['/', `/runs/${runId}`].map((path) => here.request(path)));
    const text = pages.map((page) => page.text).join('');
    expect(ids.every((id) => text.includes(id))).toBe(true);
    for (const { contact } of here.crm.records.values()) {
      expect(text).not.toContain(contact.lastName ?? 'no name');
    }
  });
});

describe('a run that ended at its limit', () => {
  it('leads to pages, not to a terminal', async () => {
    const here = await open({ integration: { budget: { perRun: 1, perMonth: null } } });
    await here.addPeople(3);
    const { runId } = await here.runner.request({ integrationId: 'riverside', trigger: 'manual' });
    await here.untilEnded(runId);
    for (const path of [`/runs/${runId}`, '/clients/riverside', '/']) {
      const { text } = await here.request(path);
      expect(text, path).toContain('At its limit');
      expect(text, path).not.toContain('donor-sync plan');
    }
    const { text } = await here.request(`/runs/${runId}`);
    expect(text).toContain('See the credits left: <a href="/credits?client=riverside">Credits</a>');
  });
});
