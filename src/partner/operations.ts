import { DONOR_CONNECTIONS } from './connections/donor-connections.ts';
import { LOOKUP } from './connections/lookup.ts';
import { COMPARE, DISCOVER } from './connections/prospects.ts';
import { CREDITS } from './credits.ts';
import { METADATA, METADATA_OF_MANY } from './donors/metadata.ts';
import { DONOR, DONORS } from './donors/profiles.ts';
import { DOWNLOAD } from './exports/download.ts';
import { CREATE_EXPORT, EXPORT, EXPORTS } from './exports/export.ts';
import { HEALTH_CHECKS, TEST } from './health.ts';
import { CREATE_LIST, DELETE_LIST, LIST, LISTS, RENAME_LIST } from './lists/list.ts';
import { ADD_TO_LIST, REMOVE_FROM_LIST } from './lists/membership.ts';
import { ADD_MEMBERS, BULK_ADD_PROGRESS } from './networks/bulk-add.ts';
import {
  CREATE_NETWORK,
  DELETE_NETWORK,
  LIST_NETWORKS,
  RENAME_NETWORK,
} from './networks/manage.ts';
import { ADD_MEMBER, REMOVE_MEMBERS } from './networks/members.ts';
import { PROGRESS_OF_MANY, PROGRESS_OF_ONE } from './progress.ts';
import { RESULTS } from './results.ts';
import type { Operation } from './routes.ts';
import { SEARCH, SEARCH_BY_PARAMETERS } from './search/search-donors.ts';
import { SUBMIT } from './submission.ts';

/** All that the service can be asked, for learning where it lives. */

/** What enhancing, networks and warm paths need: worth a line for each in `doctor`. */
export const NEEDED_OPERATIONS: readonly Operation[] = [
  SUBMIT,
  PROGRESS_OF_ONE,
  PROGRESS_OF_MANY,
  RESULTS,
  CREDITS,
  LIST_NETWORKS,
  CREATE_NETWORK,
  RENAME_NETWORK,
  ADD_MEMBERS,
  BULK_ADD_PROGRESS,
  REMOVE_MEMBERS,
  DISCOVER,
  COMPARE,
  DONOR_CONNECTIONS,
  LOOKUP,
];

/** What a service may have besides: nobody misses it where it is not listed. */
export const OTHER_OPERATIONS: readonly Operation[] = [
  TEST,
  DELETE_NETWORK,
  ADD_MEMBER,
  DONOR,
  DONORS,
  METADATA,
  METADATA_OF_MANY,
  LISTS,
  CREATE_LIST,
  LIST,
  RENAME_LIST,
  DELETE_LIST,
  ADD_TO_LIST,
  REMOVE_FROM_LIST,
  CREATE_EXPORT,
  EXPORTS,
  EXPORT,
  DOWNLOAD,
  SEARCH,
  SEARCH_BY_PARAMETERS,
  ...HEALTH_CHECKS,
];
