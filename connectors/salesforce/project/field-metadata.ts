import type { FieldSpec } from '../../../src/core/crm-field.ts';
import type { MetadataElements } from './metadata-file.ts';

/** The maximum number of characters in a single-line field. */
const LINE_LENGTH = 255;
const LONGEST_TEXT = 131_072;
const VISIBLE_LINES = 5;

/**
 * Returns the metadata of a field. The Tooling API and the source files use the same metadata. Returns null for types
 * that donor-sync cannot create.
 */
export function buildMetadata(spec: FieldSpec): MetadataElements | null {
  const { label, description } = spec;
  const common = { label, description, inlineHelpText: description.slice(0, LINE_LENGTH) };
  const length = spec.maxLength ?? LINE_LENGTH;
  switch (spec.type) {
    case 'text':
      if (length <= LINE_LENGTH) return { ...common, type: 'Text', length };
      return { ...common, ...longText(length) };
    case 'longText':
      return { ...common, ...longText(length) };
    case 'url':
      return { ...common, type: 'Url' };
    case 'integer':
      return { ...common, type: 'Number', precision: 18, scale: 0 };
    case 'number':
    case 'currency':
      return {
        ...common,
        type: spec.type === 'number' ? 'Number' : 'Currency',
        precision: 18,
        scale: 2,
      };
    case 'percent':
      return { ...common, type: 'Percent', precision: 5, scale: 2 };
    case 'boolean':
      return { ...common, type: 'Checkbox', defaultValue: false };
    case 'date':
      return { ...common, type: 'Date' };
    case 'datetime':
      return { ...common, type: 'DateTime' };
    case 'picklist':
    case 'multiPicklist':
      return null;
  }
}

/** Returns a long text field. Salesforce requires a length of at least 256 characters. */
function longText(length: number) {
  const kept = Math.min(Math.max(length, LINE_LENGTH + 1), LONGEST_TEXT);
  return { type: 'LongTextArea', length: kept, visibleLines: VISIBLE_LINES };
}
