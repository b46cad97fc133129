import { expect, it } from 'vitest';
import { checkProxies } from '../../../src/operations/doctor/checks.ts';

it('says nothing of proxies where there are none', async () => {
  expect(await checkProxies({ NO_PROXY: 'crm.lan' })).toEqual([]);
});

it('names the proxy without its password, and says that addresses cannot be pinned behind it', async () => {
  const env = { HTTPS_PROXY: 'http://donor:secret@proxy.example.org:3128' };
  const [finding] = await checkProxies(env);
  expect(finding).toMatchObject({ subject: 'proxy', ok: true });
  expect(finding?.message).toContain('proxy.example.org:3128 (HTTPS_PROXY)');
  expect(finding?.message).toContain(
    "can't make sure that the request goes to a public IP address",
  );
  expect(JSON.stringify(finding)).not.toContain('secret');
});

it('cannot pass where a variable holds no address', async () => {
  await expect(checkProxies({ https_proxy: 'ftp://proxy' })).rejects.toMatchObject({
    code: 'proxy_invalid',
  });
});
