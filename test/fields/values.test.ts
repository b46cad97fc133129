import { expect, it } from 'vitest';
import { generateKey, parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { valuesBeforeSealContext } from '../../src/database/encryption/seal-contexts.ts';
import { createSealer, NOTHING_SEALED } from '../../src/database/encryption/sealed.ts';
import { openValues, sealValues } from '../../src/fields/values.ts';

const sealer = createSealer(parseKeyRing(generateKey('2026')));
const place = valuesBeforeSealContext({ id: 'w', integrationId: 'riverside', crmId: 'c001' });

it('encrypts former values so that they can be read only in their row', () => {
  const sealed = sealValues(sealer, { capacity: '1M', age: 61 }, place);
  expect(sealed).not.toContain('capacity');
  expect(openValues(sealer, sealed, place)).toEqual({ capacity: '1M', age: 61 });
  const elsewhere = valuesBeforeSealContext({ id: 'v', integrationId: 'riverside', crmId: 'c001' });
  expect(() => openValues(sealer, sealed, elsewhere)).toThrow();
});

it('encrypts nothing if there are no former values, and still reads older encrypted texts of this kind', () => {
  expect(sealValues(sealer, {}, place)).toBe(NOTHING_SEALED);
  expect(openValues(sealer, NOTHING_SEALED, place)).toEqual({});
  expect(openValues(sealer, sealer.seal('{}', place), place)).toEqual({});
});
