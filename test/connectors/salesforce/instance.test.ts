import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ConnectorDeps } from '../../../connectors/contract.ts';
import { defineSalesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { salesforceSettingsSchema } from '../../../connectors/salesforce/settings.ts';
import { createSalesforceConsent } from '../../../connectors/salesforce/sign-in/consent.ts';
import { connectorDeps, toArray } from '../connector-options.ts';
import { openOtherHost } from '../other-host.ts';
import {
  type Answer,
  openScriptedSalesforce,
  type ScriptedSalesforce,
} from './scripted-salesforce.ts';

const IDS = '00D000000000001EAA/005000000000001AAA';
const WRITTEN = [{ id: '003000000000001AAA', values: { Note__c: 'x' } }];

describe('where the token of Salesforce goes', () => {
  let crm: ScriptedSalesforce;
  let other: Awaited<ReturnType<typeof openOtherHost>>;

  beforeEach(async () => {
    crm = await openScriptedSalesforce();
    other = await openOtherHost();
  });

  afterEach(async () => {
    await crm.close();
    await other.close();
  });

  describe('when the token endpoint names an instance', () => {
    it.each([
      ['another host', () => 'https://attacker.example'],
      ['a name that ends alike', () => 'https://evilsalesforce.com'],
      ['a name that ends alike, of the other domain', () => 'https://org.my.evilforce.com'],
      ['a name that begins alike', () => 'https://na1.salesforce.com.evil.example'],
      ['the domain with a dot behind it', () => 'https://salesforce.com.'],
      ['a host behind the name of a user', () => 'https://na1.salesforce.com@evil.example'],
      ['a user and a password', () => 'https://user:word@na1.salesforce.com'],
      ['a backslash before the domain', () => 'https://evil.example\\.salesforce.com'],
      ['a fragment before the domain', () => 'https://evil.example#.salesforce.com'],
      ['letters of another alphabet', () => 'https://na1.ѕalesforce.com'],
      ['letters of another alphabet, encoded', () => 'https://na1.xn--alesforce-zpf.com'],
      ['another port', () => 'https://na1.salesforce.com:8443'],
      ['plain http', () => 'http://na1.salesforce.com'],
      ['a path', () => 'https://na1.salesforce.com/services/proxy'],
      ['another port of this machine', () => other.url],
      ['this machine by another name', () => `http://localhost:${other.port}`],
      ['no scheme', () => `//127.0.0.1:${other.port}`],
      ['another scheme', () => 'ftp://na1.salesforce.com'],
      ['nonsense', () => 'na1.salesforce.com'],
    ])('takes it nowhere for %s', async (_, instance) => {
      answerToken(instance());
      await expect(connector()).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_instance_refused',
      });
      expect(other.strayed).toEqual([]);
    });

    it.each([
      'https://riverside.my.salesforce.com',
      'https://RIVERSIDE--test.sandbox.my.salesforce.com/',
      'https://salesforce.com:443',
      'https://riverside.my.site.force.com',
    ])('goes on at %s', async (instance) => {
      answerToken(instance);
      // The host at this address is not Salesforce, although the host received the request.
      await expect(connector()).rejects.not.toMatchObject({
        code: 'crm_instance_refused',
      });
      expect(other.strayed).not.toEqual([]);
    });

    it('goes on at a host that crm.instanceHosts names', async () => {
      const named = await openScriptedSalesforce();
      answerToken(named.url);
      await connector({ instanceHosts: [new URL(named.url).host] });
      expect(named.asked.map(({ path }) => path)).toEqual(['/sobjects/Contact/describe']);
      await named.close();
    });

    it('says which host it was and what would allow it', async () => {
      answerToken('https://attacker.example/path?secret');
      await expect(connector()).rejects.toMatchObject({
        message: expect.stringMatching(/attacker\.example.*crm\.instanceHosts/s),
      });
    });

    it('believes none that plain http may have changed on the way', async () => {
      // The address 0.0.0.0 also reaches this machine but is not a loopback address.
      const url = crm.url.replace('127.0.0.1', '0.0.0.0');
      answerToken('https://riverside.my.salesforce.com');
      await expect(connector({ url })).rejects.toMatchObject({
        code: 'crm_instance_refused',
      });
    });

    it('does not take a consent of another host for one of the org', async () => {
      answerToken('https://evilsalesforce.com', { refresh_token: 'kept' });
      const consent = createSalesforceConsent({ fetch: throughOther(), random: () => 0 });
      const auth = { type: 'oauth', clientId: 'app' };
      const settings = salesforceSettingsSchema.parse({ kind: 'salesforce', url: crm.url, auth });
      const redirectUri = 'http://127.0.0.1:8787/oauth/salesforce/callback';
      const reply = { code: 'c', redirectUri, codeVerifier: 'v'.repeat(43) };
      await expect(consent.complete(settings, reply, connectorDeps())).rejects.toMatchObject({
        code: 'crm_instance_refused',
      });
    });
  });

  describe('when the org is elsewhere than at the first connect', () => {
    const FIRST = 'https://riverside.my.salesforce.com';
    const SECOND = 'https://hillside.my.salesforce.com';
    const secrets = memorySecrets();

    beforeEach(() => secrets.clear());

    it('stops, names both hosts, and says how to allow the new one', async () => {
      await connectAt(FIRST);
      await expect(connectAt(SECOND)).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_instance_changed',
        message: expect.stringMatching(
          /riverside\.my\.salesforce\.com.*hillside\.my\.salesforce\.com.*crm\.instanceHosts/s,
        ),
      });
      expect(other.strayed).toEqual([]);
      await connectAt(FIRST);
    });

    it('goes on at the new one once it is named, and stays there', async () => {
      await connectAt(FIRST);
      await connectAt(SECOND, { instanceHosts: ['hillside.my.salesforce.com'] });
      await connectAt(SECOND);
      await expect(connectAt(FIRST)).rejects.toMatchObject({ code: 'crm_instance_changed' });
    });

    it('stops as well in the middle of a run, when the sign-in is renewed', async () => {
      answerToken(crm.url);
      const connector = await connectorWith({});
      answerToken(FIRST);
      crm.script(({ path }) => (path.startsWith('/queryAll') ? { status: 401, body: [] } : null));
      await expect(connector.readByIds(['003000000000001AAA'], [])).rejects.toMatchObject({
        code: 'crm_instance_changed',
      });
      expect(other.strayed).toEqual([]);
    });

    /**
     * Signs in. No org exists at the instance's address, so the result depends only on the check of the host name.
     */
    async function connectAt(instance: string, settings: object = {}): Promise<void> {
      answerToken(instance);
      other.strayed.length = 0;
      try {
        await connectorWith(settings);
      } catch (error) {
        if (other.strayed.length === 0) throw error;
      }
    }

    function connectorWith(settings: object): Promise<Connector> {
      return connector(settings, { secrets });
    }
  });

  describe('when an answer names an address', () => {
    it.each([
      ['https://attacker.example/services/data/v67.0/query/01g'],
      ['//attacker.example/services/data/v67.0/query/01g'],
      ['\\\\attacker.example\\services\\data\\v67.0\\query\\01g'],
      ['/\\attacker.example/services/data'],
      ['/..//attacker.example/services/data/v67.0/query/01g'],
      ['/services/data/v67.0/../../../..//attacker.example'],
      ['/services/data/v67.0/query/%2e%2e/01g'],
      ['http:/services/data/v67.0/query/01g'],
      ['javascript:alert(1)'],
      ['\thttps://attacker.example/01g'],
      ['@attacker.example/services/data/v67.0/query/01g'],
      [''],
    ])('follows %j to no further page', async (nextRecordsUrl) => {
      const one = await connector();
      crm.script(({ path }) =>
        path.startsWith('/query?')
          ? { body: { totalSize: 2, done: false, records: [], nextRecordsUrl } }
          : null,
      );
      const before = crm.asked.length;
      await expect(toArray(one.readPages(null))).rejects.toMatchObject({
        kind: 'configuration',
        code: 'crm_address_refused',
      });
      expect(other.strayed).toEqual([]);
      const paths = crm.asked.slice(before).map(({ path }) => path.split('?')[0]);
      expect(paths).toEqual(['/queryAll', '/query']);
    });

    it('asks for no job by an id that is none', async () => {
      const one = await connector({ bulkThreshold: 200 });
      crm.script(({ path }) =>
        path.startsWith('/jobs/')
          ? { body: { id: '../../../..//attacker.example', state: 'Open' } }
          : null,
      );
      const changes = Array.from({ length: 200 }, (_, at) => ({
        id: `003${String(at).padStart(12, '0')}AAA`,
        values: { Note__c: 'x' },
      }));
      const before = crm.asked.length;
      await expect(toArray(one.write(changes))).rejects.toMatchObject({
        code: 'crm_address_refused',
      });
      expect(crm.asked).toHaveLength(before + 1);
    });

    it.each([
      ['the sign-in', '/services/oauth2/token'],
      ['the description', '/sobjects/Contact/describe'],
      ['a query', '/query'],
      ['a write', '/composite/sobjects'],
    ])('carries no token to where %s is redirected', async (_, path) => {
      const saved = WRITTEN.map(({ id }) => ({ id, success: true, errors: [] }));
      crm.script((asked) => (asked.path === '/composite/sobjects' ? { body: saved } : null));
      for (const status of [301, 302, 303, 307, 308]) {
        const location = `${other.url}${path}`;
        crm.script((asked) =>
          asked.path.startsWith(path) ? { status, headers: { location } } : null,
        );
        await expect(useAll()).rejects.toMatchObject({ code: 'crm_redirected' });
      }
      expect(other.strayed).toEqual([]);
    });

    it('carries no token to where a job sends its rows', async () => {
      const location = `${other.url}/rows`;
      const one = await connector();
      crm.script(({ path, method }): Answer | null => {
        if (path.startsWith('/query?')) return { status: 400, body: [QUERY_TIMEOUT] };
        if (!path.startsWith('/jobs/query')) return null;
        if (path.includes('/results')) return { status: 307, headers: { location } };
        const state = method === 'POST' ? 'UploadComplete' : 'JobComplete';
        return { body: { id: '750000000000001AAA', state } };
      });
      await expect(toArray(one.readPages(null))).rejects.toMatchObject({ code: 'crm_redirected' });
      expect(other.strayed).toEqual([]);
    });
  });

  async function useAll(): Promise<void> {
    const one = await connector();
    await toArray(one.write(WRITTEN));
    await toArray(one.readPages(null));
  }

  function throughOther(): typeof globalThis.fetch {
    return other.fetchBeside(crm.url);
  }

  function connector(settings: object = {}, deps: Partial<ConnectorDeps> = {}): Promise<Connector> {
    const definition = defineSalesforceConnector({ fetch: fetchOf(), random: () => 0 });
    return definition.open({
      settings: definition.settingsSchema.parse({
        kind: 'salesforce',
        url: crm.url,
        auth: { type: 'clientCredentials', clientId: 'app', clientSecret: 'secret' },
        ...settings,
      }),
      contacts: { filter: null, optOutField: null },
      deps: {
        ...connectorDeps(),
        clock: { now: Date.now, sleep: () => Promise.resolve() },
        ...deps,
      },
    });
  }

  /** Returns a `fetch` that uses loopback addresses unchanged, and resolves every other name to the other host. */
  function fetchOf(): typeof globalThis.fetch {
    const beside = throughOther();
    return (input, init) => {
      const { hostname } = new URL(input instanceof Request ? input.url : input);
      const isHere = ['127.0.0.1', 'localhost', '0.0.0.0'].includes(hostname);
      return isHere ? fetch(input, init) : beside(input, init);
    };
  }

  function answerToken(instance_url: string, more: object = {}): void {
    const body = { access_token: 't', instance_url, id: `${crm.url}/id/${IDS}`, ...more };
    crm.script(({ path }) => (path.endsWith('/oauth2/token') ? { body } : null));
  }
});

const QUERY_TIMEOUT = { errorCode: 'QUERY_TIMEOUT', message: 'too long', fields: [] };

/** Returns storage for a client's secrets that outlives its connectors. */
function memorySecrets() {
  const kept = new Map<string, string>();
  return {
    read: async (name: string) => kept.get(name) ?? null,
    async write(name: string, value: string) {
      kept.set(name, value);
    },
    clear: () => kept.clear(),
  };
}
