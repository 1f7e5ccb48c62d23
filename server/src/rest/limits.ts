/** The limits of one request. The official server has none; without them one address can cost seconds. */
export const URL_LENGTH_MAX = 8192;
export const BODY_BYTES_MAX = 1024 * 1024;
export const SELECT_ITEMS_MAX = 100;
export const EMBEDS_MAX = 16;
export const EMBED_DEPTH_MAX = 4;
export const CONDITIONS_MAX = 60;
export const LOGIC_DEPTH_MAX = 8;
export const LIST_MEMBERS_MAX = 500;
/** The most rows at every level of a reading. */
export const ROWS_MAX = 1000;
/** PostgreSQL truncates longer names, so the reply's key would not be the one asked for. */
export const NAME_BYTES_MAX = 63;
