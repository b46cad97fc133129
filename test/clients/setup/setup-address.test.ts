import { expect, it } from 'vitest';
import { requirePublicAddress } from '../../../src/clients/setup/address.ts';
import { isNamed } from '../../../src/outbound/guard.ts';

const NONE = { origins: [], hosts: [] };

it.each([
  ...['127.0.0.1', '10.0.0.1', '198.18.0.1', '198.19.255.255', '192.0.0.9', '100.64.0.1'],
  ...['[::1]', '[::7f00:1]', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]'],
  ...['[2002:7f00:1::]', '[2001:0:1::]', '[fec0::1]', '[fe80::1]', '[fd00::1]', '[100::1]'],
  ...['2130706433', '0x7f.1', '0177.0.0.1', 'crm.lan', 'localhost'],
])('refuses an address inside the network: %s', async (host) => {
  await expect(requirePublicAddress(`https://${host}/`, NONE)).rejects.toMatchObject({
    code: 'setup_address_private',
  });
});

it.each(['https://8.8.8.8/', 'https://[2606:4700::1111]/'])('takes a public one: %s', (address) =>
  requirePublicAddress(address, NONE),
);

it('opens the port that the operator has named, and no other port of its host', () => {
  const named = {
    origins: ['http://partner.lan:4100'],
    hosts: ['crm.lan', 'a.lan:8443', 'b.lan:*'],
  };
  const isOpen = (address: string) => isNamed(new URL(address), named);
  expect(['http://partner.lan:4100/v1', 'http://crm.lan/', 'https://crm.lan/'].map(isOpen)).toEqual(
    [...[true, true, true]],
  );
  expect(['https://a.lan:8443/', 'http://b.lan:1/', 'http://b.lan/'].map(isOpen)).toEqual([
    ...[true, true, true],
  ]);
  const closed = ['http://partner.lan/', 'https://partner.lan:4100/', 'http://partner.lan:22/'];
  expect([...closed, 'http://crm.lan:8080/', 'http://a.lan/'].map(isOpen)).toEqual([
    ...[false, false, false, false, false],
  ]);
});
