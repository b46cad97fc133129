import type { Profile } from '../../core/profile.ts';
import type { Send } from '../send.ts';
import {
  type DonorMetadata,
  type MetadataBatch,
  readMetadata,
  readMetadataOfMany,
} from './metadata.ts';
import { type ProfileBatch, readDonor, readDonors } from './profiles.ts';

/** Donor retrieval (service document, section 4.4). Payloads are not documented. */
export interface Donors {
  /**
   * One profile; costs a credit of the donors bucket. `PartnerNotFound` for an unknown donor
   * (refunded); after `AnswerLost` the credit may be spent.
   */
  read(donorId: string, signal?: AbortSignal): Promise<Profile>;
  /**
   * The profiles of 1 to 100 donors; costs a credit of the donors bucket for each. The service
   * takes as many from the front as the balance covers. After `AnswerLost` credits may be spent.
   */
  readMany(donorIds: readonly string[], signal?: AbortSignal): Promise<ProfileBatch>;
  /** Who a donor is and what the profile would bring. Free. `PartnerNotFound` for an unknown one. */
  readMetadata(donorId: string, signal?: AbortSignal): Promise<DonorMetadata>;
  /** The same of 1 to 100 donors. Free. */
  readMetadataOfMany(donorIds: readonly string[], signal?: AbortSignal): Promise<MetadataBatch>;
}

export function createDonors(send: Send): Donors {
  return {
    read: (donorId, signal) => readDonor(send, donorId, signal),
    readMany: (donorIds, signal) => readDonors(send, donorIds, signal),
    readMetadata: (donorId, signal) => readMetadata(send, donorId, signal),
    readMetadataOfMany: (donorIds, signal) => readMetadataOfMany(send, donorIds, signal),
  };
}
