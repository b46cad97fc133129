/** Notes for the user about a file and its chosen columns. All functions are pure. */
import type { ChosenColumns } from './column-list.ts';
import type { CsvHeader } from './csv-header.ts';
import { noStreetNote } from './guess-address.ts';
import { idNotes } from './guess-id.ts';
import { onlyWholeNameNote } from './guess-names.ts';
import { markHints, missingMarksNote, remarkNotes } from './mark-fields.ts';
import { twiceText } from './own-columns.ts';

/** Returns the notes. Each note is one sentence. */
export function fileNotes(header: CsvHeader, chosen: ChosenColumns): string[] {
  return [
    ...[twiceText(header.names)].filter((text) => text !== null),
    ...idNotes(header, chosen.id),
    ...onlyWholeNameNote(header, chosen),
    ...markHints(header, chosen),
    ...remarkNotes(header, chosen),
    ...missingMarksNote(header, chosen),
    ...noStreetNote(chosen.addresses, header.sample),
  ];
}
