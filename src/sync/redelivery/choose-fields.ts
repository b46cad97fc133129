/** Finds the fields that a user has chosen for a delivery, with the spelling of the field map. */
import { ConfigurationError } from '../../core/errors.ts';
import type { FieldMapping } from '../../core/field-map.ts';
import { didYouMean } from '../../core/near-miss.ts';
import { isProfileLine } from '../../fields/value-states.ts';

/**
 * Returns the chosen fields, or null for all fields if the user did not choose any. Throws a ConfigurationError
 * (invalid) if the field map writes no profile value to a field.
 */
export function chooseFields(
  mappings: readonly FieldMapping[],
  names: readonly string[],
): readonly string[] | null {
  if (names.length === 0) return null;
  const known = [...new Set(mappings.filter(isProfileLine).map(({ to }) => to))];
  return names.map((name) => {
    const found =
      known.find((field) => field === name) ??
      known.find((field) => field.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    const isComputed = mappings.some(({ to }) => to === name);
    throw new ConfigurationError(
      isComputed
        ? `The field "${name}" does not get a value from a profile: each sync computes it again, so there is nothing to deliver. Nothing was changed.`
        : `The field map does not contain the field "${name}"${didYouMean(name, known) || '.'} It contains these fields: ${known.join(', ')}. Nothing was changed.`,
      { code: 'field_not_mapped', refusal: 'invalid', details: { field: name, known } },
    );
  });
}
