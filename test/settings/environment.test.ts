import { describe, expect, it } from 'vitest';
import { readRuntimeOptions, wantsColor } from '../../src/settings/environment.ts';

describe('readRuntimeOptions', () => {
  it('logs little on a terminal and more elsewhere by default', () => {
    expect(readRuntimeOptions({}, true)).toEqual({ secretKey: null, logLevel: 'warn' });
    expect(readRuntimeOptions({}, false).logLevel).toBe('info');
    expect(readRuntimeOptions({ DONOR_SYNC_LOG_LEVEL: 'DEBUG' }, true).logLevel).toBe('debug');
  });

  it('refuses a level that there is not', () => {
    expect(() => readRuntimeOptions({ DONOR_SYNC_LOG_LEVEL: 'wran' }, true)).toThrow(
      'did you mean "warn"?',
    );
  });

  it('hands the secret key through', () => {
    expect(readRuntimeOptions({ DONOR_SYNC_SECRET_KEY: 'k' }, true).secretKey).toBe('k');
  });
});

describe('wantsColor', () => {
  it('wants colours on a terminal only, and not against NO_COLOR', () => {
    expect(wantsColor({ isTTY: true }, {})).toBe(true);
    expect(wantsColor({}, {})).toBe(false);
    expect(wantsColor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColor({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
    expect(wantsColor({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
  });
});
