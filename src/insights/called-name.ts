/** What a sentence calls a contact by: the first name, as a person would write it. */
export function calledName(contact: { firstName: string | null; lastName: string | null }): string {
  const [first, last] = [contact.firstName, contact.lastName].map(tidy);
  if (!first) return last || 'this person';
  const withoutInitials = first.replace(/(?: \p{L}\.?)+$/u, '');
  // An initial alone says too little.
  return isInitial(withoutInitials) && last ? `${withoutInitials} ${last}` : withoutInitials;
}

function tidy(name: string | null): string {
  const line = (name ?? '').replace(/\s+/g, ' ').trim();
  return line.split(' ').map(recased).join(' ');
}

/** Names that were typed in one case; two capitals may well be initials. */
function recased(word: string): string {
  const isUpper = word === word.toUpperCase() && word.length > 2;
  if (!isUpper && word !== word.toLowerCase()) return word;
  return word.toLowerCase().replace(/(^|[-'’.])\p{L}/gu, (start) => start.toUpperCase());
}

/** `E.`, `J.P.` or `JP`, but not `Jo`. */
function isInitial(name: string): boolean {
  return /^(?:\p{L}|(?:\p{L}\.)+|\p{Lu}{2})$/u.test(name);
}
