import { describe, expect, it } from 'vitest';
import { WEBHOOKS } from '../../../connectors/index.ts';
import { HOOK_SIGNATURES } from '../../../src/clients/hook-address.ts';
import {
  findSignatureProblem,
  getSignature,
} from '../../../src/interfaces/api/webhooks/call-signature.ts';

const NOW = Date.UTC(2026, 10, 24);

function aCall(headers: Readonly<Record<string, string>>) {
  return {
    method: 'POST',
    url: 'https://sync.example.org/hooks/riverside/token',
    body: new TextEncoder().encode('[]'),
    header: (name: string) => headers[name],
  };
}

describe('the signatures that connectors declare', () => {
  const declared = WEBHOOKS.flatMap(({ kind, webhooks: { signature } }) =>
    signature === undefined ? [] : [{ kind, signature }],
  );

  it('have a kind each, that is neither of the two general ones', () => {
    expect(HOOK_SIGNATURES).toEqual(['none', ...declared.map(({ kind }) => kind), 'hmac']);
    expect(new Set(HOOK_SIGNATURES).size).toBe(HOOK_SIGNATURES.length);
  });

  it.each(declared)('name headers as they are looked up: $kind', ({ signature: { versions } }) => {
    const headers = versions.flatMap(({ header, timestamp }) =>
      timestamp === null ? [header] : [header, timestamp.header],
    );
    expect(headers).toEqual(headers.map((name) => name.toLowerCase()));
  });

  it.each(declared)(
    'are refused at any wrong time, and are no receipt without one: $kind',
    (one) => {
      const { kind, signature } = one;
      for (const { header, timestamp, sign } of signature.versions) {
        const signedAt = (time: string) => {
          const unsigned = aCall({});
          const headers = {
            [header]: sign('secret', unsigned, time, '') ?? '',
            ...(timestamp !== null && { [timestamp.header]: time }),
          };
          return aCall(headers);
        };
        if (timestamp === null) {
          expect(getSignature(kind, signedAt(''))).toBeNull();
          continue;
        }
        const unit = (ms: number) => String(ms / timestamp.unitMs);
        const problemAt = (time: string) =>
          findSignatureProblem(kind, 'secret', signedAt(time), NOW);
        expect(problemAt(unit(NOW))).toBeNull();
        expect(getSignature(kind, signedAt(unit(NOW)))).not.toBeNull();
        for (const time of ['', 'soon', 'Infinity', unit(NOW - 301_000), unit(NOW + 301_000)]) {
          expect(problemAt(time)).toBe('signature_too_old');
        }
        // The service always gives the same reason for a wrong signature. The response therefore does not reveal the
        // server's time.
        const wrong = {
          ...signedAt(unit(NOW - 301_000)),
          method: 'PUT',
          url: 'https://other.example',
        };
        expect(findSignatureProblem(kind, 'secret', wrong, NOW)).toBe('signature_invalid');
      }
    },
  );

  it.each(declared)('are missing in a call without their headers: $kind', ({ kind }) => {
    expect(findSignatureProblem(kind, 'secret', aCall({}), NOW)).toBe('signature_missing');
  });

  it('accept no call if no connector declares them any more', () => {
    expect(() => findSignatureProblem('gone', 'secret', aCall({}), NOW)).toThrow('gone');
  });
});
