import { expect, it } from 'vitest';
import { ask, connect, startOrg } from './org.ts';

it.each([
  ['GET', '/recent'],
  ['GET', '/services/oauth2/singleaccess'],
  ['POST', '/sobjects/PermissionSetLicenseAssign'],
  ['POST', '/sobjects/ContentVersion'],
  ['GET', '/sobjects/Contact/describe/compactLayouts'],
  ['GET', '/quickActions'],
  ['GET', '/chatter/users/me'],
  ['GET', '/analytics/dashboards'],
  ['POST', '/composite/tree/Contact'],
  ['POST', '/graphql'],
  ['GET', '/sobjects/Contact/describe/approvalLayouts'],
  ['GET', '/tooling/executeAnonymous'],
  ['GET', '/tooling/completions'],
  ['POST', '/services/Soap/m/67.0'],
  ['POST', '/services/async/67.0/job'],
  ['GET', '/services/apexrest/any'],
  ['POST', '/cometd/67.0'],
])('what this org does not have is not found: %s %s', async (method, path) => {
  const org = await startOrg();
  expect(await ask(org, method, path, method === 'POST' ? { body: {} } : {})).toMatchObject({
    status: 404,
    body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
  });
});

it('tells the real client who it is', async () => {
  const org = await startOrg();
  const connection = connect(org);
  const { sub } = await connection.request<{ sub: string }>('/services/oauth2/userinfo');
  connection.userInfo = {
    id: sub.split('/').at(-1) ?? '',
    organizationId: sub.split('/').at(-2) ?? '',
    url: sub,
  };
  expect(await connection.identity()).toMatchObject({ username: org.username });
});
