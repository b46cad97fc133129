import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import { connectorSecrets } from '../../../src/clients/connector-secrets.ts';
import { beginConsent, disconnect, findConsentOutcome } from '../../../src/clients/consents.ts';
import { ticketAddress } from '../../../src/interfaces/api/oauth.ts';
import type { Page } from '../../helpers/browser.ts';
import {
  KINDS,
  type Kind,
  type OAuthWorld,
  openOAuthWorld,
  PUBLIC_URL,
  WAY_BACK,
} from './oauth-world.ts';

describe.each(KINDS)('connecting a %s account', (kind) => {
  let world: OAuthWorld;

  beforeEach(async () => {
    world = await openOAuthWorld(kind);
  });

  afterEach(() => world.close());

  it('goes to the CRM and back, and signs in with what it brought', async () => {
    const page = await letIn();
    expect(page.status).toBe(200);
    expect(page.text).toContain('Connected');
    expect(page.text).toContain('donor-sync doctor riverside');
    await expect(world.signIn()).resolves.toHaveProperty('id');
  });

  it('begins by a link on the page of an integration that waits for it, and leads back there', async () => {
    const browser = world.browser();
    const before = await browser.open(`${PUBLIC_URL}/clients/riverside`);
    const links = [...before.text.matchAll(/href="(\/oauth\/[^"]+)"/g)].map(([, href]) => href);
    expect(links).toEqual([`/oauth/${kind}/start?integration=riverside`]);
    expect(before.text).toContain('is connected yet');
    const back = await browser.decide(await browser.open(`${PUBLIC_URL}${links[0]}`), 'allow');
    expect(back.status).toBe(200);
    const on = /<a href="([^"]+)">To the overview/.exec(back.text)?.[1] ?? '';
    const after = await browser.open(new URL(on, back.url));
    expect(after.status).toBe(200);
    expect(after.text).toContain('riverside');
    expect(after.text).not.toContain('/oauth/');
  });

  it('stores the new token only in encrypted form', async () => {
    await letIn();
    const refreshToken = await world.refreshToken();
    expect(refreshToken).toMatch(/.{20}/);
    expect(await world.disk()).not.toContain(refreshToken);
  });

  it('says that the account is not connected while no user has let it in', async () => {
    await expect(world.signIn()).rejects.toMatchObject({
      code: 'crm_unauthorized',
      message: expect.stringContaining('donor-sync connect'),
    });
  });

  it('protects the page with headers about content, frames, caches and referrers', async () => {
    const { headers } = await letIn();
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });

  it('sends the CRM only the hash of the verifier, and the public address to return to', async () => {
    const { page } = await goThere();
    expect(page.url.searchParams.get('redirect_uri')).toBe(
      `${WAY_BACK[kind]}/oauth/${kind}/callback`,
    );
    expect(page.url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(page.url.searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    expect(page.url.searchParams.has('code_verifier')).toBe(false);
  });

  it('refuses a forged state, and still accepts the right state afterwards', async () => {
    const { browser, page } = await goThere();
    const forged = await browser.open(callback({ state: 'x'.repeat(43), code: 'c' }));
    expect(forged.status).toBe(400);
    expect(await world.refreshToken()).toBeNull();
    expect((await browser.decide(page, 'allow')).status).toBe(200);
  });

  it('refuses a code that comes a second time, and stays connected', async () => {
    const { browser, page, state } = await goThere();
    const back = await browser.decide(page, 'allow');
    const kept = await world.refreshToken();
    const again = await browser.open(back.url);
    expect(again.status).toBe(400);
    expect(await world.refreshToken()).toBe(kept);
    expect(await findConsentOutcome(world, state)).toBe('connected');
  });

  it('refuses a used code under a new state', async () => {
    const first = await goThere();
    const code = (await first.browser.decide(first.page, 'allow')).url.searchParams.get('code');
    const { browser, state } = await goThere();
    const replayed = await browser.open(callback({ state, code: code ?? '' }));
    expect(replayed.status).toBe(400);
    expect(replayed.text).toContain('Nothing was connected');
  });

  it('says that the user did not let it in', async () => {
    const { browser, page, state } = await goThere();
    const denied = await browser.decide(page, 'deny');
    expect(denied.status).toBe(400);
    expect(denied.text).toContain('access_denied');
    expect(await world.refreshToken()).toBeNull();
    expect(await findConsentOutcome(world, state)).toContain('access_denied');
  });

  it('repeats no text that comes with a refusal, on the page or in the database', async () => {
    const { browser, state } = await goThere();
    const error_description = 'ann@example.org <img src=x>\u001b]0;x\u0007\u202e';
    const error = 'Quartermain';
    const { text } = await browser.open(callback({ state, error, error_description }));
    expect(text).toContain('unknown_error');
    expect(text).not.toMatch(/Quartermain|ann@|img|]0;x|\u202e/);
    expect(await findConsentOutcome(world, state)).not.toMatch(/Quartermain|ann@/);
  });

  it('does not repeat words that come without a state of ours', async () => {
    const { browser } = await goThere();
    const forged = { state: 'x', error: 'oops', error_description: 'Call this number' };
    expect((await browser.open(callback(forged))).text).not.toContain('Call this number');
  });

  it('cannot be completed in a browser that did not start it', async () => {
    const { browser, page } = await goThere();
    const state = page.url.searchParams.get('state') ?? '';
    const other = await world.browser().open(callback({ state, code: 'stolen' }));
    expect(other.status).toBe(400);
    expect((await browser.decide(page, 'allow')).status).toBe(200);
  });

  it('is refused if the user returns after more than ten minutes', async () => {
    const { browser, page } = await goThere();
    world.wait(600_001);
    expect((await browser.decide(page, 'allow')).status).toBe(400);
    expect(await world.refreshToken()).toBeNull();
  });

  it('sends no user to the CRM with a ticket that is used up or too old', async () => {
    const { browser, page, state } = await goThere();
    await browser.decide(page, 'allow');
    expect((await browser.open(ticketAddress(WAY_BACK[kind], kind, state))).status).toBe(400);
    const late = await beginConsent(consents(), world.integration);
    world.wait(600_001);
    expect((await browser.open(ticketAddress(WAY_BACK[kind], kind, late))).status).toBe(400);
  });

  it('says so when the CRM is away, and when it is back the next try succeeds', async () => {
    const { browser, page, state } = await goThere();
    await putFaults([{ on: { path: '*/token' }, fault: { kind: 'gatewayError', status: 503 } }]);
    const away = await browser.decide(page, 'allow');
    expect(away.status).toBe(503);
    expect(away.text).toContain('Try again later');
    expect(await findConsentOutcome(world, state)).toContain('cannot be reached');
    await putFaults([]);
    expect((await letIn()).status).toBe(200);
  });

  it('stays connected when the CRM is away as it is to be disconnected', async () => {
    await letIn();
    const kept = await world.refreshToken();
    await putFaults([{ on: { path: '*/revoke' }, fault: { kind: 'gatewayError', status: 503 } }]);
    await expect(disconnect(consents(), world.integration)).rejects.toMatchObject({
      code: 'crm_unavailable',
    });
    expect(await world.refreshToken()).toBe(kept);
  });

  it('refuses another account than the one that earlier runs wrote into', async () => {
    await letIn();
    const kept = await world.refreshToken();
    await world.pinAccount('another-account');
    const page = await letIn();
    expect(page.status).toBe(400);
    expect(page.text).toContain('was connected to another CRM account before');
    expect(await world.refreshToken()).toBe(kept);
  });

  it('connects the same account again without losing what is known', async () => {
    await letIn();
    const { id } = await world.signIn();
    await world.pinAccount(id);
    expect((await letIn()).status).toBe(200);
    expect(await world.signIn()).toMatchObject({ id });
  });

  it('has the CRM take the token back when it is disconnected', async () => {
    await letIn();
    const kept = (await world.refreshToken()) ?? '';
    expect(await disconnect(consents(), world.integration)).toEqual({ problem: null });
    expect(await world.refreshToken()).toBeNull();
    await letIn();
    await world.keepRefreshToken(kept);
    await expect(world.signIn()).rejects.toMatchObject({ code: 'crm_unauthorized' });
  });

  it('leaves the token valid that another client of the same account holds', async () => {
    await letIn();
    const kept = (await world.refreshToken()) ?? '';
    const { application } = world;
    const twin = { ...world.integration, id: 'twin' };
    const { consent, settingsSchema } = await findConnectorDefinition(kind);
    const name = consent?.secretName(settingsSchema.parse(twin.crm)) ?? '';
    await connectorSecrets(application, twin.id).write(name, kept);
    const integrations = new Map([...application.integrations, [twin.id, twin]]);
    const deps = { ...consents(), application: { ...application, integrations } };
    expect((await disconnect(deps, world.integration)).problem).toContain('Another client');
    expect(await world.refreshToken()).toBeNull();
    await world.keepRefreshToken(kept);
    await world.signIn();
  });

  it('forgets a token that is worthless already', async () => {
    await letIn();
    await world.keepRefreshToken('worthless');
    expect(await disconnect(consents(), world.integration)).toEqual({ problem: null });
    await expect(disconnect(consents(), world.integration)).rejects.toMatchObject({
      code: 'not_connected',
    });
  });

  it('has nothing to connect where the settings hold all it takes', async () => {
    const [hillside = world.integration] = world.application.select(['hillside']);
    await expect(beginConsent(consents(), hillside)).rejects.toMatchObject({
      code: 'consent_not_wanted',
      message: expect.stringContaining('hillside'),
    });
  });

  it('refuses the state of one CRM at the callback address of another CRM', async () => {
    const { browser, state } = await goThere();
    const other = kind === 'hubspot' ? 'salesforce' : 'hubspot';
    const strange = await browser.open(callback({ state, code: 'c' }, other));
    expect(strange.status).toBe(400);
    expect(strange.text).toContain(`and the CRM &quot;${other}&quot;`);
    expect(await world.refreshToken()).toBeNull();
  });

  /** Opens the CRM's consent page with a new ticket. */
  async function goThere() {
    const state = await beginConsent(consents(), world.integration);
    const browser = world.browser();
    const page = await browser.open(ticketAddress(WAY_BACK[kind], kind, state));
    expect(page.url.origin).toBe(world.crm.baseUrl);
    return { browser, page, state };
  }

  async function letIn(): Promise<Page> {
    const { browser, page } = await goThere();
    return browser.decide(page, 'allow');
  }

  async function putFaults(rules: unknown): Promise<void> {
    const { status } = await fetch(`${world.crm.rootUrl}/_sandbox/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rules),
    });
    expect(status).toBeLessThan(300);
  }

  function callback(query: Record<string, string>, at: Kind = kind): string {
    return `${WAY_BACK[kind]}/oauth/${at}/callback?${new URLSearchParams(query)}`;
  }

  function consents() {
    const { application, clock } = world;
    return { application, clock, signal: new AbortController().signal };
  }
});

describe('GET /oauth/:kind/start', () => {
  let world: OAuthWorld;

  beforeEach(async () => {
    world = await openOAuthWorld('hubspot');
  });

  afterEach(() => world.close());

  it('sends an admin on by the public address, where the cookie comes back', async () => {
    const reply = await start({});
    expect(reply.status).toBe(302);
    const location = reply.headers.get('location') ?? '';
    expect(location).toMatch(/^http:\/\/localhost:8787\/oauth\/hubspot\/start\?ticket=[\w-]{43}$/);
    const page = await world.browser().open(location);
    expect(page.url.origin).toBe(world.crm.baseUrl);
  });

  it('lets no caller through without the role', async () => {
    const viewer = await world.addToken('viewer');
    expect((await start({})).status).toBe(401);
    expect((await start({ authorization: `Bearer ${viewer}` })).status).toBe(403);
  });

  it('is not begun by an access token, which may set no other host', async () => {
    const admin = await world.addToken('admin');
    const reply = await start({ authorization: `Bearer ${admin}` });
    expect(reply.status).toBe(403);
    expect(await reply.text()).toContain('person_needed');
  });

  it('refuses a request from a page of another site', async () => {
    expect((await start({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await start({ 'sec-fetch-site': 'same-origin' })).status).toBe(302);
  });

  it('knows the integrations and their kinds', async () => {
    expect((await start({}, '/oauth/hubspot/start?integration=unknown')).status).toBe(404);
    expect((await start({}, '/oauth/salesforce/start?integration=riverside')).status).toBe(404);
    expect((await start({}, '/oauth/hubspot/start?integration=hillside')).status).toBe(422);
  });

  function start(
    headers: Record<string, string>,
    path = '/oauth/hubspot/start?integration=riverside',
  ): Promise<Response> {
    return fetch(`${world.url}${path}`, { redirect: 'manual', headers });
  }
});
