import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { salesforceSettingsSchema } from '../../../connectors/salesforce/settings.ts';
import { createSalesforceConsent } from '../../../connectors/salesforce/sign-in/consent.ts';
import { connectorDeps } from '../connector-options.ts';
import { openScriptedSalesforce, type ScriptedSalesforce } from './scripted-salesforce.ts';

const REPLY = {
  code: 'aPrx==',
  redirectUri: 'http://127.0.0.1:8787/oauth/salesforce/callback',
  codeVerifier: 'v'.repeat(43),
};

describe('letting donor-sync into Salesforce', () => {
  const consent = createSalesforceConsent({ fetch: globalThis.fetch, random: () => 0 });
  let crm: ScriptedSalesforce;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
  });

  afterEach(() => crm.close());

  it('proves with the verifier that it is the one who asked', async () => {
    answerToken({ refresh_token: 'kept' });
    expect(await consent.complete(settings('secret'), REPLY, connectorDeps())).toEqual({
      account: { id: '00D000000000001EAA', name: new URL(crm.url).host },
      refreshToken: 'kept',
    });
    expect(sent()).toEqual({
      grant_type: 'authorization_code',
      code: REPLY.code,
      client_id: 'app',
      client_secret: 'secret',
      redirect_uri: REPLY.redirectUri,
      code_verifier: REPLY.codeVerifier,
    });
  });

  it('sends no secret for an app that has none', async () => {
    answerToken({ refresh_token: 'kept' });
    await consent.complete(settings(), REPLY, connectorDeps());
    expect(sent()).not.toHaveProperty('client_secret');
  });

  it('names the scope that the app lacks when there is no refresh token', async () => {
    answerToken({});
    await expect(consent.complete(settings(), REPLY, connectorDeps())).rejects.toMatchObject({
      code: 'crm_scope_missing',
      message: expect.stringContaining('refresh_token'),
    });
  });

  it('says so when the address signs no user in', async () => {
    crm.script(() => ({ status: 404, body: '<html>' }));
    await expect(consent.complete(settings(), REPLY, connectorDeps())).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('crm.url'),
    });
  });

  it('says why a token is not taken back, by the word of OAuth', async () => {
    const body = { error: 'unsupported_token_type', error_description: 'not ann@example.org' };
    crm.script(() => ({ status: 400, body }));
    await expect(consent.revoke(settings(), 'token', connectorDeps())).rejects.toMatchObject({
      message: expect.stringMatching(/\(unsupported_token_type\)(?!.*ann@)/),
    });
  });

  it('is wanted for no other way to sign in', () => {
    const auth = { type: 'token', token: 't' };
    const token = salesforceSettingsSchema.parse({ kind: 'salesforce', url: crm.url, auth });
    expect(consent.isWanted(token)).toBe(false);
    expect(consent.isWanted(settings())).toBe(true);
  });

  function settings(clientSecret?: string) {
    const auth = { type: 'oauth', clientId: 'app', clientSecret };
    return salesforceSettingsSchema.parse({ kind: 'salesforce', url: crm.url, auth });
  }

  function answerToken(more: object): void {
    const id = `${crm.url}/id/00D000000000001EAA/005000000000001AAA`;
    crm.script(() => ({ body: { access_token: 't', instance_url: crm.url, id, ...more } }));
  }

  /** Returns the last form that was sent. */
  function sent(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(crm.asked.at(-1)?.body));
  }
});
