/**
 * CORS rules of buckets, read by both wirings. The API redirects a page to a bucket, so its browser sends the origin
 * `null` and the headers that the page has set. A signed URL lets its holder read an object, or write a part of one.
 */
export const bucketCors = {
  methods: ["GET", "HEAD", "PUT"],
  origins: ["*"],
  headers: ["*"],
  exposedHeaders: ["accept-ranges", "content-length", "content-range", "etag"],
  maxAgeSeconds: 3600,
} as const;
