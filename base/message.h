/* One line of text that goes with an error code. */
#ifndef VQX_BASE_MESSAGE_H
#define VQX_BASE_MESSAGE_H

#define VQX_MESSAGE_SIZE 512

typedef struct vqx_message_text {
    char text[VQX_MESSAGE_SIZE];
} vqx_message_text;

/* Writes the line (printf format, cut at the buffer's end) and returns `err`, so that a failure is one statement. */
__attribute__((format(printf, 3, 4))) int vqx_fail(vqx_message_text *message, int err, const char *format, ...);

#endif
