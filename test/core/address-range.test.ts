import { describe, expect, it } from 'vitest';
import { parseAddressRange } from '../../src/core/host.ts';

describe('parseAddressRange', () => {
  it.each([
    ['203.0.113.7', { address: '203.0.113.7', prefix: 32, family: 'ipv4' }],
    ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8, family: 'ipv4' }],
    ['::1', { address: '::1', prefix: 128, family: 'ipv6' }],
    ['fd00::/8', { address: 'fd00::', prefix: 8, family: 'ipv6' }],
    ['0.0.0.0/0', { address: '0.0.0.0', prefix: 0, family: 'ipv4' }],
  ])('reads %j', (text, range) => {
    expect(parseAddressRange(text)).toEqual(range);
  });

  it.each([
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0/8',
    'fe80::1%eth0',
    '1.2.3.4/-1',
  ])('does not read %j', (text) => {
    expect(parseAddressRange(text)).toBeNull();
  });
});
