/** The likely cause of a failure, for each promise whose tests compare values without an explanation. */

/** Each key is the title of a promise. A key that ends in `…` is the beginning of a title. */
const CAUSES: Readonly<Record<string, string>> = {
  'answers in the order of the ids, with the values of the fields asked for':
    'Build the answer from the ids that were asked for: the CRM returns rows in its own order. A blank field is null, and not missing.',
  'shows the same contact as the pages do':
    'Use one function for the contact in pages and in look-ups. A look-up often needs the same list of fields, addresses and employers in its request.',
  'says which contacts are gone, between those that are there':
    'Match rows and ids by the id. A deleted contact is `removed` or `missing`, and never `found`: many CRMs return it with a mark.',
  'does not take a record that it cannot find for a deleted one':
    'Without a sign of a deletion from the CRM, the state is `missing`. `removed` deletes what was bought for the contact.',
  'does not take a contact that lost its visibility for a deleted one':
    'A hidden record looks like one that never existed: the state is `missing`. Return `removed` only if the CRM’s list of deletions has the id.',
  'names what was merged into a contact, if it can':
    'Return the ids of the contacts that were merged into this one, and not the id itself or the one that remains.',
  'sends a caller that asks for a merged contact to the one it lives on in':
    'Many CRMs answer the id of a merged contact with the contact that remains: switch this off, or compare the ids. Return `removed`, with the id as it was asked for and `mergedInto`.',
  'sees what a person has just changed':
    'Read anew for each call: keep no contacts, and use no search index that lags behind.',
  'shows white space as blank': 'Trim a text to see whether it is blank, and return null if it is.',
  'says of each contact that the filter includes it where there is none, and of no other id':
    'Ask the CRM which of the ids exist, and return only these.',
  'finds contacts by the beginnings of the words of their names, if it can search':
    'All words of the text must begin words of the name, in any order and in any case: check what the CRM finds with `toNameWords` and `isNamed`.',
  'gives no character of a searched text a meaning, if it can search':
    'Escape the text for the CRM’s language of searches, or send only the words of `toNameWords`.',
  'takes as many ids as it says, and none at all':
    'Split `readBatch` ids into requests of the size that the CRM takes, and return an empty list for none.',
  'knows its limits or says that there are none':
    '`remaining` is what is left of `max`, and not what was used.',
  'checks the prerequisites, and finds them met':
    'Return at least one finding, and `ok: true` for what is met. A check that needs more rights than the connector finds too much.',
  'finishes and closes as often as it is called':
    'Write what is kept in `finish`, and do nothing in further calls.',
  'never takes a failure for the end of the contacts':
    'Throw for a page that cannot be read (`http.read` does): a `catch` around the loop ends the reading as if it were complete.',
  'reads all contacts or none after a single failure':
    'Repeat the failed request, or throw a RetriableError: never go on with the next page.',
  'never takes a failure of a look-up for missing or deleted contacts':
    'Let the error of the request through. Only a response that names the id says something about a contact.',
  'never takes a refused look-up for deleted contacts':
    'A refusal of the whole request says nothing about single contacts: throw, or return `missing`.',
  'waits while the CRM limits requests, and gives up in the end':
    'Repeat a limited request a few times with longer waits, and then throw a RetriableError, as `createHttp` does.',
  'waits as long as Retry-After says':
    'Read Retry-After of the response in seconds or as a date, and wait by `deps.clock`.',
  'never takes a failure for the end of a group':
    'Throw for a page of members that cannot be read: half of a group must never look whole.',
  'acknowledges nothing that is not in the CRM, and calls no temporary failure final':
    'Yield `written` only after the CRM’s response for this change. After a temporary failure, repeat the request, throw a RetriableError, or refuse with `retriable: true`.',
  'acknowledges nothing that the API refuses':
    'Look at the status of each response: 400, 403, 404, 409 and 422 mean that nothing is written.',
  'refuses a change if the CRM blames a field that the change does not contain':
    'If you leave out the refused field and try again, stop when the change does not contain it.',
  'leaves alone what users change while it writes':
    'Send only the fields of the change. Whoever reads the record, changes it and writes it back reverts what users have typed in the meantime.',
  'writes all values of a change with `together`, or none, if a request fails':
    'Send all values of such a change in one request. If the CRM needs several, restore the former values after a failure.',
  'creates a field once even if the response is lost':
    'Read whether the field exists before it is created again: the lost request may have created it.',
  'describes the fields that can be written':
    'Name each field once, with `writable: true` unless the CRM says otherwise.',
  'creates a field once, however often it is asked to':
    'Return `created` only if this call has made the field, and `existed` if the CRM has one of this name. Read the fields again after it.',
  'brings the members of a group, each once, and no others':
    'Find the group by its whole name or id, and return each member once, by the id of the contact: rows of members often have ids of their own.',
  'brings all members of a large group':
    'Members have pages, too: read until the CRM says that nothing follows.',
  'throws for a group that it cannot read':
    'Throw a ConfigurationError for a group that does not exist: an empty group would remove everybody from a network.',
  'throws for a group that breaks off, so that half of it never looks whole':
    'Throw if a page of members cannot be read.',
  'throws when the run stops, so that half a group never looks whole':
    'Call `throwIfStopped(deps.signal)` before each request, and pass the signal to it.',
  'lists groups that it can read':
    'A selector of `listGroups` is a `networks[].group` of the settings. `memberCount` counts the members that `readGroup` returns; null if the CRM does not say.',
  'are made of the same every time, and say so':
    '`identity()` names the sources of a contact, each once, and the same after each opening.',
  'are unknown in nothing that can be read':
    'Name only sources in `unreadable` that the key may not read. A blank is not unreadable.',
  'tell addresses…':
    'Read the rights in `open`, and name what cannot be read in `identity()` and in `unreadable` of each contact. Nothing else of the identity changes.',
  'tell employers…':
    'Read the rights in `open`, and name what cannot be read in `identity()` and in `unreadable` of each contact. Nothing else of the identity changes.',
  'have no blanks for…':
    'If a part is missing from a response, name its source in `unreadable`, or throw.',
  'belong to one id, whatever form of it is asked for':
    '`canonicalId` returns the form in `contact.id` for each other form, and null for what is no id. A look-up has the `id` as asked.',
  'names the same account every time':
    'Take the id and the name of the account from the CRM, and not from a time or a token.',
  'names another account for another CRM, because a client belongs to one account':
    'Take the id of the account from a response of the CRM. Each call of `openHarness` needs an account with its own id.',
  'declares the groups and the new fields that it is tested for, and no others':
    'With `capabilities.groups`, the harness needs `groups`; with `createsFields`, it needs `newField`; name both in the list of abilities. Without them, leave them out of the list.',
  'names the value that a user typed after it was read, and that the write replaced':
    'Compare the value before the write with `seen`: if they differ, and it is not the value of the change, report it in `overwritten`, in its canonical form.',
  'says nothing if nobody has typed, or has typed the same':
    'Report only values that differ from `seen` and from the change.',
  'brings every contact with the identity that stands in the CRM':
    'Return null for a name that is missing, an empty list for no addresses and employers, and each text as it is.',
  'brings all contacts of a CRM that takes several pages':
    'Read until the CRM says that nothing follows. `contactsForThreePages` of the harness must fill three pages of the connector.',
  'reads an empty CRM to its end': 'An empty page is the end, or has a next page: it is no error.',
  'misses no contact while people edit others':
    'Sort the list by something that edits do not change, for example by id: an edited contact changes its place in a list by time.',
  'misses no contact while others are deleted':
    'If contacts are deleted, the later ones move up, and an offset skips them: use `readOffsetPages`, `readIdPages`, or a cursor of the CRM.',
  'brings an edit that was made while it read, at once or after its cursor':
    'The cursor is the time at which the reading started, and not the time at which it ended.',
  'brings every edit of a moment in which several are made':
    'Compare with “at or after”: many CRMs count in whole seconds, and “after” loses edits of the same second.',
  'depends on the clock of the CRM and not on ours':
    'Take the cursor from a response of the CRM, and never from `Date.now()` or `deps.clock`.',
  'goes on after the cursor of any page without losing a contact':
    'Before its last page, a first reading has the cursor null, and a later one the cursor that it got.',
  'brings what was added or edited after the cursor':
    'Send the cursor with the request, and compare the time of the last change with “at or after”.',
  'gives a cursor exactly if it understands one':
    'With `incremental`, the last page has a cursor, also if it is empty. Without it, each cursor is null.',
  'throws when the run stops, instead of seeming complete':
    'Call `throwIfStopped(deps.signal)` before each request: a reading that only ends looks complete.',
  'gives one entry for each write, in their order, and null for what is gone':
    'Build the answer of `readBack` from the writes that were asked for, and match records by their ids. `automated` names only what automation has changed.',
  'never takes what a user typed after the write for automation':
    'Look at the author of the last change of the field: a user’s value is never automated.',
  'tells a value that automation changed from one that a user typed':
    'Look at the author of the last change of the field, in its history. `values` has the current value.',
  'finds later what automation has made from a written value, and nothing that a user typed':
    'Return a field only if each change since the app’s value is by automation, with the app’s value in `madeFrom`.',
  'refuses a mark field that does not exist':
    'Call `requireMarkFields` in `open` with the names of all fields.',
  'refuses values that mean an opt-out, without their field':
    'Call `requireMarkFields` in `open`: values without a field mean that a line of the settings is missing.',
  'brings an opt-out that was set after the cursor':
    'A mark is a change: read by the time of the last change of the contact, and read the mark field in each page.',
  'obeys the values that mean an opt-out, or refuses them':
    'Pass all of `contacts` to `readMarks`: with `optOutValues`, only these values mean an opt-out.',
  'obeys contacts.filter, or refuses it':
    'Send the filter with each request for pages, and with no look-up. Refuse a filter that you do not support (`requireKnown`).',
  'finds opt-outs outside the filter': 'Read the marks without `contacts.filter` in `findMarked`.',
  'tells a rejected key from a temporary failure, so that a user is told at once':
    'Throw a ConfigurationError for 401, as `createHttp` does.',
  'refuses to open with a rejected key, and reports it as a finding':
    'Send a request in `open`, and let its error through. `checkByOpening` makes a finding of it.',
  'reports an API that fails as a finding, and does not throw':
    'Catch each error in `check`, and return a finding with `ok: false`. `checkByOpening` does both.',
  'puts no key and nothing about people into errors, results, findings and the log':
    'Write sentences of your own: never put the CRM’s text, an address with its query, or a request into a message. Log facts without names and values.',
  'follows no redirect, because it would send the key to another address':
    'Send requests with `createHttp`, or with `redirect: "manual"`, and throw for 3xx.',
  'sends each request by the `fetch` that it is given':
    'Send requests with `createHttp`, or with `deps.fetch`, also for sign-ins and uploads.',
  'counts each request, and each response that limits it':
    'Call `deps.onCall` once for each attempt, with `throttled: true` for 429. `createHttp` does.',
  'puts no name into an address, if it can search': 'Send the text of a search in a body.',
  'writes all of them, null as well':
    'Send null values with the others, in the form with which the CRM clears a field.',
  'writes none of them into a contact that is gone, and all into the others':
    'A refusal of one contact leaves the others of the batch written.',
  'writes none of them where one names a field that cannot be written':
    'With `together`, refuse the change before anything is sent if it has a field that does not exist.',
  'writes none of them where the CRM refuses one, and says which and why':
    'With `together`, send all values in one request that the CRM carries out whole or not at all, and do not try again without the refused one. Obey it for each change: others in the same call may lack it.',
  'tells the cause of a refused value by one of four words':
    '`cause` is `rule`, `does_not_fit`, `no_permission` or `no_such_field`, and never a code of the CRM.',
  'writes exactly the fields that a change names':
    'Send only the fields of the change. A CRM that replaces whole records needs another request.',
  'clears a field with null':
    'Send what clears the field in this CRM (null, an empty text, an empty list), and read a blank as null.',
  'reads back what it wrote, before and after the run ends':
    'Each type has one canonical value in both directions: see the table “Canonical values” in the guide.',
  'writes a text exactly as it is, whatever it looks like':
    'Send a text as a text: nothing in it is a number, a date, a formula or markup.',
  'writes a text as long as the field allows': 'Send texts whole, and count characters, not bytes.',
  'writes a number as digits, without separators':
    'Use `String(value)`, and no format of a language. Read separators of the CRM, if it shows them.',
  'takes the same change twice':
    'Acknowledge a change whose values are in the CRM already, and carry it out again.',
  'lets the later of two changes win and keeps what only the earlier one names':
    'A change has only some fields: the others stay as they are.',
  'gives one result for each change of a large batch':
    'Split the changes into requests of the size that the CRM takes, and yield a result for each.',
  'takes changes that arrive one by one':
    'Read the changes with `for await`, and send the last, incomplete batch too.',
  'writes nothing when there is nothing to write': 'Send no request without a change.',
  'refuses a contact that is gone and writes the others':
    'Yield a refusal with `retriable: false` for this contact, and go on: throw nothing for a single record.',
  'reports a refused record without disturbing the others':
    'Yield a refusal with the CRM’s code and a sentence of your own for this contact, and write the others.',
  'loses one value where the CRM refuses one value':
    'Read the refused field from the response, write the other values, and yield `written_in_part` with one refusal for each refused field: `fields` names it, `retriable` is false, and the message has no id and no text of the CRM.',
  'says that nothing was written where the refused value was the only one':
    'If no value of the change is left, yield `refused` and not `written_in_part`. A request with other fields, as after a read-modify-write, looks as if a part was written.',
  'leaves the rest of a batch written, however many records of it are protected':
    'A refusal is about one record. Never give up a batch after a number of refusals.',
  'writes a locked record in the end, or says that trying again makes sense':
    'Repeat a change of a locked record, or refuse it with `retriable: true` and `isLock: true`.',
  'acknowledges nothing that it did not write when the run stops':
    'Call `throwIfStopped(deps.signal)` before each request, and yield `written` only after the response.',
};

/**
 * Returns the likely cause of a failure of this promise. Returns null if the test's own messages already name the
 * cause.
 */
export function likelyCause(title: string): string | null {
  const known = CAUSES[title];
  if (known !== undefined) return known;
  const begin = Object.keys(CAUSES).find(
    (key) => key.endsWith('…') && title.startsWith(key.slice(0, -1)),
  );
  return begin === undefined ? null : (CAUSES[begin] ?? null);
}

/** All titles and beginnings of titles that have a likely cause. A test fails if a title does not match any promise. */
export const CAUSED_TITLES: readonly string[] = Object.keys(CAUSES);
