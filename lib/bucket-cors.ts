/**
 * CORS rules of buckets, read by both wirings. A page is redirected to a bucket by the API, so that its browser tells no
 * origin (`null`) and sends along the headers that the page has set. Whoever has a signed URL may read what it is for.
 */
export const bucketCors = {
  methods: ["GET", "HEAD"],
  origins: ["*"],
  headers: ["*"],
  exposedHeaders: ["accept-ranges", "content-length", "content-range", "etag"],
  maxAgeSeconds: 3600,
} as const;
