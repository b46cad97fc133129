import { describe, expect, it } from 'vitest';
import { insecureAddresses, isInsecure } from '../../src/settings/insecure-http.ts';
import { type LoadOptions, parseSettings } from '../../src/settings/settings.ts';
import { findAConnector } from './a-connector.ts';

describe('isInsecure', () => {
  it.each([
    'https://partner.example',
    'http://localhost:8080',
    'http://127.0.0.1:8080/v1',
    'http://127.1/',
    'http://[::1]:8080',
    'http://named.example:8080/v1',
    'http://NAMED.example',
    'not an address',
  ])('is content with %s', (address) => {
    expect(isInsecure(address, ['named.example'])).toBe(false);
  });

  it.each([
    'http://partner.example',
    'http://10.0.0.7:8080',
    'http://0.0.0.0:8080',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'http://named.example.evil.example',
    'http://sub.named.example',
    'http://localhost@partner.example',
  ])('is not content with %s', (address) => {
    expect(isInsecure(address, ['named.example'])).toBe(true);
  });
});

describe('the settings file', () => {
  it('refuses each address over which keys would be read, by its line', async () => {
    const text = fileWith({
      partnerUrl: 'http://partner.example/v1',
      alertUrl: 'http://hooks.example/s',
    });
    const error = await parse(text).catch(String);
    expect(error).toMatch(/donor-sync\.yaml:1:\d+ alerts\.webhook\.url: .*hooks\.example/);
    expect(error).toMatch(
      /donor-sync\.yaml:4:\d+ integrations\[0\]\.partner\.baseUrl: .*partner\.example/,
    );
  });

  it('finds none of them at hosts that it allows', async () => {
    const text = fileWith({
      partnerUrl: 'http://Partner.example/v1',
      alertUrl: 'http://hooks.example/s',
    });
    const settings = await parse(
      `allowInsecureHttp: [partner.EXAMPLE, hooks.example, "[fd00::7]", 10.0.0.7]\n${text}`,
    );
    expect(insecureAddresses(settings.integrations, settings)).toEqual([]);
  });

  it('refuses plain http for a CRM, and shows the line, unless the host is allowed', async () => {
    const text = fileWith({ crmUrl: 'http://crm.example' });
    await expect(parse(text)).rejects.toThrow(
      /donor-sync\.yaml:7:\d+ integrations\[0\]\.crm\.url: .*crm\.example.*allowInsecureHttp/,
    );
    await parse(`${text}allowInsecureHttp: [crm.example]\n`);
  });

  it('shows no host that comes from the environment', async () => {
    const text = fileWith({ crmUrl: `http://\${CRM_HOST}` });
    const error = await parse(text, { CRM_HOST: 'secret.example' }).catch(String);
    expect(error).toMatch(/integrations\[0\]\.crm\.url: over plain http to this host/);
    expect(error).not.toContain('secret.example');
  });

  it.each(['http://crm.example', 'crm.example:80', 'crm.example/', '*.example', 'crm ex', ''])(
    'takes no %j for a host',
    async (host) => {
      const text = `${fileWith({})}allowInsecureHttp: [${JSON.stringify(host)}]\n`;
      await expect(parse(text)).rejects.toThrow(/allowInsecureHttp\[0\]/);
    },
  );
});

function fileWith({
  partnerUrl = 'https://partner.example',
  crmUrl = 'https://crm.example',
  alertUrl = 'https://hooks.example/secret',
}: {
  partnerUrl?: string;
  crmUrl?: string;
  alertUrl?: string;
}): string {
  return `alerts: { webhook: { url: "${alertUrl}" } }
integrations:
  - id: riverside
    partner: { baseUrl: "${partnerUrl}", apiKey: key }
    crm:
      kind: hubspot
      url: ${crmUrl}
      auth: { type: token, token: t }
`;
}

function parse(text: string, env: LoadOptions['env'] = {}) {
  return parseSettings(text, {
    path: 'donor-sync.yaml',
    cwd: '/',
    env,
    async findConnectorDefinition(kind) {
      return { ...(await findAConnector(kind)), refusesPlainHttp: true };
    },
  });
}
